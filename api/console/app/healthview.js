// This file owns how the service does, and how that went while one looked.
import {html, useEffect, useState} from "./base.js";
import {get, useData} from "./api.js";
import {clock, fmtAgo, fmtLength} from "./time.js";

const EVERY = 3000, KEPT = 100;
const num = (n) => n?.toLocaleString(), mib = (n) => (n == null ? "–" : num(Math.round(n / 2 ** 20)));
const history = [];

function Spark({of, label}) {
	const read = of.filter((v) => v !== null), list = read.length === 1 ? [read[0], read[0]] : read, top = Math.max(...list, 1e-9), low = Math.min(...list, 0), n = list.length - 1;
	if (!list.length) return null;
	const d = list.map((v, i) => `${i ? "L" : "M"}${(i * 240 / n).toFixed(1)},${(42 - 38 * (v - low) / (top - low || 1)).toFixed(1)}`).join("");
	return html`<svg class="spark" viewBox="0 0 240 46" preserveAspectRatio="none" role="img" aria-label=${label + ", the last " + read.length + " readings"}><path d=${d + "L240,46L0,46Z"} class="area"/><path d=${d} class="line"/><//>`;
}

export function Health() {
	const [n, tick] = useState(0);
	useEffect(() => {const t = setInterval(() => tick((x) => x + 1), EVERY); return () => clearInterval(t);}, []);
	const of = useData(async (o) => {
		const h = await get("health", {}, o);
		history.push({...h, at: clock()});
		if (history.length > KEPT) history.shift();
		return h;
	}, [n]);
	const rate = (name) => history.map((h, i) => (i ? (h[name] - history[i - 1][name]) / ((h.at - history[i - 1].at) / 1000) : 0)), series = (name) => history.map((h) => h[name]);
	const card = (title, figure, small, list) => html`<div class="card"><h3>${title}<//><div class="figure">${figure} <small>${small}<//><//><${Spark} of=${list} label=${title}/><//>`;
	return html`<Read of=${of}>${(h) => html`<div class="cards">
			${card("Sequence", num(h.sequence), "changes of this account", series("sequence"))}${card("Queue", h.queued ?? "–", "commands wait", series("queued"))}
			${card("Commands", (rate("commands").at(-1) || 0).toFixed(1), "a second · " + num(h.refused ?? 0) + " refused so far", rate("commands"))}${card("Sync of the log", h.syncSeconds == null ? "–" : (h.syncSeconds * 1000).toFixed(2), "ms, mean since the start", series("syncSeconds"))}
			${card("Memory", mib(h.memoryBytes), "MiB needed", series("memoryBytes"))}${card("Webhooks", h.deliveriesQueued ?? "–", h.oldestDeliverySeconds ? "wait, the oldest for " + fmtLength(h.oldestDeliverySeconds * 1000) : "deliveries wait", series("deliveriesQueued"))}<//>
			<div class="cols"><div class="box"><h2>Backups<//>${h.backupAtSeconds ? html`<p>The newest good one was made <b>${fmtAgo(h.backupAtSeconds * 1000)}</b>.</p>` : ""}${h.backupFault ? html`<p class="notice warn">${h.backupFault}. <a href="/docs/operating" target="_blank">How to keep some</a></p>` : html`<p class="notice good">Backups are well.</p>`}<//>
			<aside class="box"><h2>The process<//><Facts of=${[["Started", h.startedAtSeconds && fmtAgo(h.startedAtSeconds * 1000)], ["Resident", mib(h.residentBytes) + " MiB"], ["On disk", mib(h.diskBytes) + " MiB"], ["Log records", num(h.groups)], ["Articles", num(h.articles)], ["Units taken", num(h.units)], ["Snapshots", h.snapshots]]}/><//><//>`}<//>`;
}
