// This file owns how the interface is asked: the key, requests, refusals, and the feed of changes.
import {signal, useState, useEffect} from "./base.js";
import {hearClock} from "./time.js";

const KEY = "holdfast.key";
const ROOT = "/v1/admin/";

/** The key; it lives as long as the tab. */
export const key = signal(sessionStorage.getItem(KEY) || "");
/** Why it was not taken, or taken back. */
export const keyRefused = signal("");
export const offline = signal(false);
/** Counts what was heard of: views read again. */
export const heard = signal(0);
export const sequence = signal(0);
/** Changes, the newest first. */
export const recent = signal([]);

/** Takes a key, without what a header cannot carry, such as signs that are not seen. */
export function signIn(text) {
	key.value = sessionStorage[KEY] = text.replace(/[^!-~]/g, "");
	keyRefused.value = key.value ? "" : "A key begins with hf_.";
}

export function signOut() {
	sessionStorage.removeItem(KEY);
	first = Infinity;
	sequence.value = next = 0;
	recent.value = lacking.value = [];
	moved.clear();
	key.value = "";
}

export class Problem extends Error {
	code = "";
	title = "";
	errors = [];
	details = {};
	constructor(status, body) {
		super(body.detail || body.title || "The server answered " + status);
		Object.assign(this, body);
		this.status = status;
		const scopes = this.details.requiredScopes;
		if (scopes) this.message = "This takes a key with " + (scopes.join(" or ") || "full access") + ".";
	}
}

/** A query: lists by elements, objects by members in brackets. */
export function query(q = {}) {
	const p = new URLSearchParams();
	const add = (k, v) => {
		if ((v ?? "") === "") return;
		if (Array.isArray(v)) v.forEach((x) => add(k, x));
		else if (typeof v === "object") for (const [m, x] of Object.entries(v)) add(k + "[" + m + "]", x);
		else p.append(k, String(v));
	};
	for (const [k, v] of Object.entries(q)) add(k, v);
	return p.size ? "?" + p : "";
}

export const describe = async () => (await fetch("/openapi.json")).json();

let first = Infinity, next = 0; // the first state that was read, and where to listen on
/** Asks the interface; o.seen notes of which state an answer is. The same write has the same key for ten minutes, with o.name for a day, also after a reload, until it is answered. */
async function call(method, path, body, /** @type {any} */ o = {}) {
	const mine = key.value, headers = {"X-API-KEY": mine}, url = ROOT + path + (o.asOf ? (path.includes("?") ? "&" : "?") + "asOf=" + o.asOf : ""), sent = JSON.stringify(body);
	const write = method !== "GET" && o.idem !== "" && !body?.dryRun && "holdfast.unanswered " + (o.name || `${method} ${url} ${sent}`);
	if (sent) headers["Content-Type"] = "application/json";
	if (write) {
		const had = sessionStorage[write];
		headers["Idempotency-Key"] = sessionStorage[write] = Date.now() - parseInt(had) < (o.name ? 8e7 : 6e5) ? had : [Date.now(), ...crypto.getRandomValues(new Uint32Array(4))].join("-");
	}
	let res, got;
	try {
		res = await fetch(url, {method, headers, body: sent, signal: o.signal, cache: "no-store"});
		got = JSON.parse(await res.text() || "{}") || {}; // what was deleted is null
	} catch (e) {
		if (e.name === "AbortError") throw e;
		offline.value = true;
		throw new Error(write ? "No answer came: it may be done, or not. Do the same again, and it is done once." : "The server is out of reach. The page goes on when it answers again.");
	}
	offline.value = false;
	if (write && res.status < 500 && got.code !== "IDEMPOTENCY_KEY_IN_USE") delete sessionStorage[write];
	if (key.value !== mine) throw new DOMException("Another key is in use by now.", "AbortError");
	hearClock(res.headers.get("Date"));
	const of = res.headers.get("X-Sequence");
	if (of) {o.seen?.add(of); first = Math.min(first, +of); sequence.value = Math.max(sequence.value, +of);}
	if (res.ok) return got;
	if (res.status === 401 && key.value) {
		keyRefused.value = got.detail || "The key was refused.";
		signOut();
	}
	throw new Problem(res.status, got);
}

export const get = (path, q, o) => call("GET", path + query(q), undefined, o);
export const post = (path, body = {}, o) => call("POST", path, body, o);
export const patch = (path, body, o) => call("PATCH", path, body, o);
export const del = (path, o) => call("DELETE", path, undefined, o);

/** The rows of a list, of so many pages at most, and how many are left. */
export async function all(path, q = {}, o = {}) {
	const read = (page) => get(path, {...q, page, pageSize: 250}, o), first = await read(1);
	const rest = Array.from({length: Math.min(first.pagination.totalPages, o.pages || 8) - 1}, (_, i) => read(i + 2));
	const rows = [first, ...await Promise.all(rest)].flatMap((a) => a.data);
	return Object.assign(rows, {left: first.pagination.total - rows.length});
}

/** The scopes that the key lacks for what is left out. */
export const lacking = signal([]);
/** What a read gives, or another thing where the key may not read it. */
export const may = (read, none) => read.catch((e) => {
	if (e.code !== "MISSING_SCOPE") throw e;
	lacking.value = [...new Set([...lacking.value, ...e.details.requiredScopes])];
	return none;
});

/** What a loader gives, all of one state: else it reads again, and at last a state that is pinned. */
async function together(signal, load) {
	for (let tries = 0; tries < 3; tries++) {
		const seen = new Set(), got = await load({signal, seen});
		if (seen.size < 2) return got;
	}
	return load({signal, asOf: (await post("snapshots", {}, {signal, idem: ""})).sequence});
}

/** Names of the articles that units were moved from. */
export const moved = new Map();

/** Listens to what changes from the first state on, until stopped. A page that is not seen gives its connection to others. */
export function listen() {
	let stop = new AbortController();
	const hear = async ({signal}) => {
		let back = 200; // for what was moved before
		for (let wait = 500; !signal.aborted;) {
			try {
				if (!next) {
					await get("account", {}, {signal});
					next = Math.max(0, first - back);
				}
				const a = await get("changes", {after: next, limit: 200, records: false, wait: wait > 500 ? 0 : 25}, {signal});
				next = a.next;
				sequence.value = Math.max(sequence.value, +a.next.split(".")[0]);
				for (const c of a.changes) for (const m of c.moved) moved.set(m.unavailabilityId, m.fromArticleName);
				if (wait > 500 || a.changes.some((c) => c.sequence > first || c.moved.length)) {
					recent.value = [...a.changes.toReversed(), ...recent.value].slice(0, 200);
					heard.value++;
				}
				wait = 500;
			} catch (e) {
				if (signal.aborted) return;
				if (e.status === 410) first = Infinity, back = 0, next = 0;
				if (e.status === 401) return;
				if (e.status === 403) heard.value++, wait = 4000; // it may not listen: it looks again
				await new Promise((r) => setTimeout(r, wait));
				wait = Math.min(wait * 2, 4000);
			}
		}
	};
	const turn = () => {
		stop.abort();
		stop = new AbortController();
		if (!document.hidden) hear(stop);
	};
	turn();
	document.addEventListener("visibilitychange", turn);
	return () => {document.removeEventListener("visibilitychange", turn); stop.abort();};
}

/** What a loader gives, read again when deps change or something is heard of. While loading, data are of other deps. */
export function useData(load, deps, pause = 0) {
	const [state, set] = useState({data: null, error: null, deps: ""}), [n, setN] = useState(0);
	const of = JSON.stringify(deps), loading = state.deps !== of;
	useEffect(() => {
		const stop = new AbortController();
		const timer = setTimeout(() => {
			together(stop.signal, load).then(
				(data) => !stop.signal.aborted && set({data, error: null, deps: of}),
				(error) => !stop.signal.aborted && set((s) => ({data: s.deps === of ? s.data : null, error, deps: of})),
			);
		}, loading ? pause : 120);
		return () => {clearTimeout(timer); stop.abort();};
	}, [of, n, heard.value]);
	return {...state, loading, again: () => setN(n + 1)};
}

/** What was read for these deps alone. */
export const fresh = (of) => (of.loading ? {...of, data: null, error: null} : of);

export const useGet = (path, q = {}) => useData((o) => get(path, q, o), [path, q]);
