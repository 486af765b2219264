import { html } from "./base.js";
export const Health = () => html`<section class="view"><h1>Health</h1></section>`;
