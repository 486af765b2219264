// This file owns the shell: who is signed in, the way between views, and what is said of the server.
import {html, render, useEffect, useState} from "./base.js";
import {key, keyRefused, lacking, listen, offline, sequence, signIn, signOut} from "./api.js";
import {href, route, setQ} from "./route.js";
import {account, failed, load, places, ready, skus, zone} from "./store.js";
import {clock, zoneName} from "./time.js";
import {Timeline} from "./timelineview.js";
import {Heat} from "./heatview.js";
import {LookUp} from "./lookupview.js";
import {Today} from "./todayview.js";
import {Orders} from "./ordersview.js";
import {Conflicts} from "./conflictsview.js";
import {Plan} from "./planview.js";
import {Webhooks} from "./webhooksview.js";
import {Keys} from "./keysview.js";
import {Import} from "./importview.js";
import {Health} from "./healthview.js";

const views = {
	lookup: ["Look-up", LookUp], timeline: ["Timeline", Timeline], heat: ["Heat map", Heat], today: ["Today", Today], orders: ["Orders", Orders], conflicts: ["Conflicts", Conflicts],
	plan: ["Quantity plan", Plan], webhooks: ["Webhooks", Webhooks], keys: ["Keys", Keys], import: ["Import", Import], health: ["Health", Health],
};

const THEME = "holdfast.theme", system = matchMedia("(prefers-color-scheme: dark)"), {dataset} = document.documentElement;
const paint = () => {dataset.theme = localStorage[THEME] || (system.matches ? "dark" : "light");};
paint();
system.addEventListener("change", paint);
function turn() {
	localStorage[THEME] = dataset.theme === "dark" ? "light" : "dark";
	paint();
}

function SignIn() {
	return html`<main class="signin"><Form send=${(of) => signIn(of.key)}><h1><img src="/console/console.svg" alt="" width="36" height="36"/> Holdfast<//>
		${keyRefused.value && html`<p class="notice bad" role="alert">${keyRefused.value}</p>`}
		<Field label="API key" wide>
			<input type="password" name="key" required autocomplete="off" spellcheck="false" autofocus placeholder="hf_…"/><//>
		<p class="dim">It is kept for this tab alone and forgotten with it. <code>make run<//> prints one.</p>
		<button class="btn primary">Open the console<//>
		<p class="dim"><a href="/docs">Pages</a> · <a href="/docs/reference">Reference</a></p><//><//>`;
}

function Live() {
	const off = offline.value;
	return html`<span class=${"live" + (off ? " off" : "")} role="status"><i></i>${off ? "Out of reach" : "Live"}${!off && sequence.value ? html`<span class="dim"> · ${sequence.value.toLocaleString()}<//>` : ""}<//>`;
}

function FirstVisit() {
	return html`<h1>There is no stock yet<//><div class="cards">
		<a class="card" href=${href("import")}><Icon name="import"/><h2>Import a file<//><p>Places, SKUs, articles and bookings from CSV.</p></a>
		<a class="card" href="/docs/start"><Icon name="docs"/><h2>Try the demo<//><p><code>holdfast serve --demo<//> on an empty directory: three places, bikes and cameras, 2,000 bookings around today.</p></a><//>`;
}

function Shell() {
	const [menu, setMenu] = useState(false);
	useEffect(() => {load(); return listen();}, [key.value]);
	const {q, ...at} = route.value, view = at.view in views ? at.view : "timeline", [name, View] = views[view];
	useEffect(() => {document.title = name + " · Holdfast"; setMenu(false);}, [view]);
	const apart = ["import", "keys", "health", "webhooks"].includes(view), bare = ready.value && !places.value.length && !skus.value.length && !lacking.value.length && !apart;
	return html`<div class=${"shell" + (menu ? " open" : "")}>
		<a class="skip" href="#main" onClick=${(e) => {e.preventDefault(); document.getElementById("main").focus();}}>To the content</a>
		<nav class="rail" id="rail" aria-label="Views"><a class="brand" href=${href("timeline", {at: q.at})}><img src="/console/console.svg" alt="" width="24" height="24"/><span>${account.value?.name || "Holdfast"}<//></a>
			${Object.entries(views).map(([v, [text]]) => html`<a href=${href(v, {at: q.at})} aria-current=${v === view ? "page" : null} onClick=${() => setMenu(false)}><Icon name=${v}/><span>${text}<//></a>`)}
			<a class="last" href="/docs" target="_blank"><Icon name="docs"/><span>Pages<//></a><//>
		<header class="top"><Button kind="plain menu" icon="menu" label="Views" aria-expanded=${menu} aria-controls="rail" onClick=${() => setMenu(!menu)}/>
			<h1 class="where">${name}<//>
			${!apart && view !== "lookup" && html`<PlaceSelect none=${view === "plan" ? "" : undefined} value=${q.at || (view === "plan" && places.value[0]?.id)} onChange=${(at) => setQ({at, page: null}, true)}/>`}
			<span class="zone dim" title=${zone.value}>${zoneName(zone.value, clock())}<//><span class="grow"><//>
			<${Live}/><Button kind="plain" icon="moon" label="Light or dark" onClick=${turn}/><Button kind="plain" icon="out" label="Sign out" onClick=${signOut}/><//>
		<main id="main" tabindex="-1">${offline.value && html`<div class="banner" role="alert">The server is out of reach. What is shown is as it was; the page goes on by itself.<//>`}
			${lacking.value.length > 0 && html`<p class="notice warn">What this key may not read is left out. Ask for one with <b>${lacking.value.join(", ")}</b>.</p>`}
			<section key=${view} class=${"view" + (bare ? " firstvisit" : ready.value && ["timeline", "heat"].includes(view) ? " full" : "")}>${ready.value ? html`<${bare ? FirstVisit : View} q=${q}/>` : failed.value ? html`<Failed error=${failed.value} again=${load}/>` : html`<Loading rows=${8}/>`}<//><//>
		<Notes/><//>`;
}

const App = () => (key.value ? html`<${Shell}/>` : html`<${SignIn}/>`);
const root = document.getElementById("app");
root.textContent = "";
render(html`<${App}/>`, root);
