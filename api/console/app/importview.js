import { html } from "./base.js";
export const Import = () => html`<section class="view"><h1>Import</h1></section>`;
