// This file owns the state of a view in the address: #/view?name=value.
import {signal} from "./base.js";

/** Numbers by the most that they can be; others are left out. */
const numbers = {on: 2.5e14, from: 2.5e14, to: 2.5e14, row: 1e7, page: 1e6, days: 400};

/** What the address says, before others hear of it. */
export function read() {
	const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
	return {view: path || "timeline", q: Object.fromEntries([...new URLSearchParams(query)].filter(([k, v]) => !numbers[k] || (+v > 0 && +v <= numbers[k] && +v % 1 === 0)))};
}

export const route = signal(read());
addEventListener("hashchange", () => {route.value = read();});

/** The address of a view. @param {string} view */
export function href(view, q = {}) {
	const p = new URLSearchParams();
	for (const [k, v] of Object.entries(q)) if ((v ?? "") !== "") p.set(k, String(v));
	return "#/" + view + (p.size ? "?" + p : "");
}

/** Goes to a view; the place stays chosen. */
export function go(view, q = {}) {
	location.hash = href(view, {at: route.value.q.at, ...q});
}

/** Changes the state of the present view. With step there is a way back to what was. */
export function setQ(patch, step = false) {
	const {view, q} = read(), to = href(view, {...q, ...patch});
	if (to === location.hash) return;
	if (step) location.hash = to;
	else {
		history.replaceState(null, "", to);
		route.value = read();
	}
}
