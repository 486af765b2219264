// This file owns the parts that views are made of.
import {html, parts, signal, useEffect, useLayoutEffect, useRef, useState} from "./base.js";
import {go, href, route, setQ} from "./route.js";
import {findSKUs, places, skus, zone, zoneOf} from "./store.js";
import {fmtInstant, fmtRange, fromInput, toInput} from "./time.js";

const Icon = ({name}) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href=${"/console/icons.svg#" + name}/><//>`;

const CALM = 500; // as long as the second click of a double click may take
/** A button, busy while it works, when it keeps the focus. A pointer's click is not taken right after that, nor where another button just was. */
function Button({onClick, kind = "", icon, label, children, disabled, ...rest}) {
	const [busy, set] = useState(false), box = useRef(null), here = useRef(null);
	useLayoutEffect(() => {
		const {x, y} = box.current.getBoundingClientRect(), text = box.current.textContent, was = here.current;
		if (text !== was?.text || Math.hypot(x - was.x, y - was.y) > 20) here.current = {x, y, text, since: performance.now()};
	});
	const act = async (e) => {
		if (disabled || busy || (e.detail && performance.now() - here.current.since < CALM)) return e.stopPropagation();
		const r = onClick(e);
		if (r?.then) {
			set(true);
			try {await r;} catch (x) {tell(x);} finally {set(false); here.current.since = performance.now();}
		}
	};
	return html`<button type="button" ref=${box} class=${"btn " + kind} onClick=${act} aria-disabled=${disabled || busy ? "true" : null} aria-busy=${busy ? "true" : null} aria-label=${label} title=${label} ...${rest}>
		${icon && html`<Icon name=${icon}/>`}${children}<//>`;
}

const Field = ({label, children, wide}) => html`<label class=${"field" + (wide ? " wide" : "")}><span class="name">${label}<//>${children}<//>`;

const Select = ({value, onChange, options, ...rest}) => html`<select value=${value} onChange=${(e) => onChange(e.target.value)} ...${rest}>
	${options.map(([v, text]) => html`<option value=${v} selected=${v === value}>${text}<//>`)}<//>`;

const PlaceSelect = ({none = "All places", value, ...rest}) => html`<Select value=${value || ""} options=${[...(none ? [["", none]] : []), ...places.value.map((x) => [x.id, x.name])]} aria-label="Place" ...${rest}/>`;

/** Draws by keys, and again only what is of something else. */
export function useDrawn() {
	const last = useRef(new Map()), next = new Map(), before = last.current;
	last.current = next;
	return (key, of, draw) => {
		const was = before.get(key), is = was?.of.every((x, i) => x === of[i]) ? was : {of, is: draw()};
		return next.set(key, is) && is.is;
	};
}

export const useSize = (box, look) => useLayoutEffect(() => {
	const o = new ResizeObserver(look);
	o.observe(box.current);
	return () => o.disconnect();
}, []);

/** A local time, or a day. What is picked is taken at once, what is typed by Enter or when the field is left. */
function When({value, onChange, z = zone.value, day, none, ...rest}) {
	const box = useRef(null), typing = useRef(false), n = day ? 10 : 16, shown = value ? toInput(value, z).slice(0, n) : "";
	const take = ({target}) => {
		const v = target.value;
		typing.current = false;
		target.value = shown;
		if (v !== shown && (v ? v > "1970" : none)) onChange(v && fromInput(v, z));
	};
	return html`<input type=${day ? "date" : "datetime-local"} step=${day ? 1 : 900} max=${"9999-12-31T23:59".slice(0, n)} ref=${box} value=${typing.current ? box.current.value : shown} onBlur=${take}
		onKeyDown=${(e) => {typing.current = true; if (e.key === "Enter") take(e);}} onChange=${(e) => typing.current || take(e)} ...${rest}/>`;
}

/** A form, sent once at a time: what its fields are filled with, and itself. */
function Form({send, ...rest}) {
	const busy = useRef(false);
	return html`<form onSubmit=${async (e) => {
		e.preventDefault();
		if (busy.current) return;
		busy.current = true;
		try {await send(Object.fromEntries([...new FormData(e.target)].filter(([, v]) => v)), e.target);} catch (x) {tell(x);} finally {busy.current = false;}
	}} ...${rest}/>`;
}

/** Text, when typing rests; of names the first that have it are offered. */
function Search({value, onChange, label = "Name or code", of, ...rest}) {
	const [text, set] = useState(value || "");
	const timer = useRef(0);
	useEffect(() => {set(value || "");}, [value]);
	return html`<input type="search" value=${text} placeholder=${label} aria-label=${label} onInput=${(e) => {
		const v = e.target.value;
		set(v);
		clearTimeout(timer.current);
		timer.current = setTimeout(() => onChange(v), 250);
	}} list=${of && "offers"} ...${rest}/>${of && html`<datalist id="offers">${of.filter((x) => x.toLowerCase().includes(text.toLowerCase())).slice(0, 50).map((x) => html`<option value=${x}/>`)}<//>`}`;
}

/** One of perhaps thousands of SKUs. */
const SKUSelect = ({value, onChange}) => html`<Search label="SKU" of=${skus.value.map((s) => s.name)} value=${skus.value.find((s) => s.id === value)?.name} onChange=${async (v) => {
	await findSKUs(v);
	const found = skus.value.find((s) => s.name === v);
	if (found || !v) onChange(found?.id);
}}/>`;

const Steps = ({names, step, now}) => html`<Button kind="plain" icon="left" label=${names[0]} onClick=${() => step(-1)}/><Button onClick=${now}>Today<//><Button kind="plain" icon="right" label=${names[1]} onClick=${() => step(1)}/>`;

/** What colours mean: a class with what it stands for. */
const Legend = ({of, children}) => html`<div class="legend">${of.map(([c, text]) => html`<span key=${c}><i class=${c}></i>${text}<//>`)}<span class="grow right">${children}<//><//>`;

const Choice = ({label, of, value, set}) => html`<div class="seg" role="group" aria-label=${label}>${of.map(([v, text]) => html`<Button aria-pressed=${v === value} onClick=${() => set(v)}>${text}<//>`)}<//>`;

const Badge = ({kind = "", children, title}) => html`<span class=${"badge " + kind} title=${title}>${children}<//>`;

const Loading = ({rows = 6}) => html`<div class="skeleton" role="status" aria-label="Loading">${Array.from({length: rows}, (_, i) => html`<span style=${{width: 90 - i * 7 + "%"}}><//>`)}<//>`;

const Empty = ({title, children, icon = "lookup"}) => html`<div class="empty"><Icon name=${icon}/><h2>${title}<//>${children}<//>`;

/** What went wrong: of lines who stands in the way and when it would do; and a way on. */
function Failed({error, again, names = [], z = zone.value}) {
	const lines = error.details?.lines || [];
	return html`<div class="notice bad" role="alert"><strong>${error.title || "That did not work"}<//>
		${!lines.length && html`<p>${error.message}</p>`}<${Faults} error=${error}/>
		${lines.map((l) => html`<section key=${l.line}><p>${names[l.line] ? html`<b>${names[l.line]}</b>: ` : ""}${l.requested} asked for, <b>${l.available}</b> to be had. ${reason(l)}</p>
			${l.next?.from && html`<p>It fits from <b>${fmtInstant(l.next.from, z)}</b>.</p>`}<Blockers list=${l.blockingUnavailabilities || []} total=${l.blockingTotal}/><//>`)}
		${error.code && html`<p class="dim"><a href=${"/docs/errors#" + error.code.toLowerCase()} target="_blank">${error.code}</a></p>`}${again && html`<Button onClick=${again}>Try again<//>`}<//>`;
}

const Faults = ({error}) => (error.errors?.length ? html`<ul class="faults">${error.errors.slice(0, 20).map((f) => html`<li><code>${f.pointer}<//> ${f.message}<//>`)}<//>` : null);

/** The states of a loader, then its content. */
function Read({of, children, rows}) {
	const failed = of.error && html`<Failed error=${of.error} again=${of.again}/>`;
	return of.data ? html`${failed}${children(of.data)}` : failed || html`<Loading rows=${rows}/>`;
}

/** Notes go by themselves; refusals stay until they are closed. */
const notes = signal([]);
let noteNo = 0;
export function tell(what) {
	const id = ++noteNo, bad = what instanceof Error;
	notes.value = [...notes.value.slice(-3), {id, bad, what}];
	if (!bad) setTimeout(() => drop(id), 5000);
}
const drop = (id) => {notes.value = notes.value.filter((n) => n.id !== id);};
const Notes = () => html`<div class="notes" role="status" aria-live="polite">${notes.value.map((n) => html`<div key=${n.id} class=${"note" + (n.bad ? " bad" : "")}>
	<div>${n.bad ? n.what.message : n.what}<${Faults} error=${n.what}/><//><Button kind="plain small" icon="close" label="Close this note" onClick=${() => drop(n.id)}/><//>`)}<//>`;

/** A panel at the side, which Esc closes; then the focus goes back. */
function Panel({title, name = "id", children, actions}) {
	const box = useRef(null), onClose = () => setQ({[name]: null});
	useEffect(() => {
		const before = /** @type {HTMLElement} */ (document.activeElement);
		box.current?.focus();
		return () => before?.focus?.();
	}, []);
	useEffect(() => {if (document.activeElement === document.body) box.current.focus();}); // what had it is gone
	return html`<aside class="panel" role="dialog" aria-label=${title} tabindex="-1" ref=${box} onKeyDown=${(e) => {
		if (e.key === "Escape") {e.stopPropagation(); onClose();}
	}}><header><h2>${title}<//><Button kind="plain" icon="close" label="Close" onClick=${onClose}/><//><div class="body">${children}<//>${actions && html`<footer>${actions}<//>`}<//>`;
}

const Once = ({of, secret, done}) => html`<div class="notice good" role="status"><strong>${of}, shown only once<//><pre>${secret}<//><Button kind="small" onClick=${done}>I have it<//><//>`;

const Facts = ({of}) => html`<dl class="facts">${of.filter((x) => (x?.[1] ?? "") !== "").map(([k, v]) => html`<div><dt>${k}<//><dd>${v}<//><//>`)}<//>`;

function Pages({of}) {
	const to = (page) => () => setQ({page});
	if (of.totalPages <= 1) return html`<p class="dim">${of.total} in all</p>`;
	return html`<nav class="pages" aria-label="Pages"><Button kind="plain" icon="left" label="Page before" disabled=${of.page <= 1} onClick=${to(of.page - 1)}/>
		<span>Page ${of.page} of ${of.totalPages}, ${of.total} in all<//>
		<Button kind="plain" icon="right" label="Next page" disabled=${of.page >= of.totalPages} onClick=${to(of.page + 1)}/><//>`;
}

/** A table: its heads, # before a number's, none over buttons; and its rows, an id and cells. With a name in the address a row is opened by it. */
function Table({heads, rows, name}) {
	const {view, q} = route.value, text = (i) => heads[i].replace("#", ""), kind = (i) => ({"#": "num", "": "right"})[heads[i].slice(0, 1)];
	return html`<div class="scroll"><table><thead><tr>${heads.map((_, i) => html`<th class=${kind(i)}>${text(i)}<//>`)}<//><//><tbody>${rows.map(([id, ...cells]) => html`<tr key=${id} class=${name && "go" + (q[name] === id ? " picked" : "")} onClick=${name && (() => setQ({[name]: id}))}>
		${cells.map((c, i) => html`<td class=${kind(i)} data-head=${text(i)}>${name && !i ? html`<a href=${href(view, {...q, [name]: id})} onClick=${(e) => e.stopPropagation()}>${c}</a>` : c}<//>`)}<//>`)}<//><//><//>`;
}

/** A page of a list, by a row of an element; or what stands for an empty one. */
function List({of, row, none = "", ...rest}) {
	const p = of.data?.pagination, beyond = !of.loading && p?.page > p?.totalPages && p.totalPages;
	useEffect(() => {if (beyond) setQ({page: beyond});}, [beyond]);
	return html`<Read of=${of}>${(d) => (d.data.length ? html`<Table rows=${d.data.map((x) => row(x, d))} ...${rest}/><Pages of=${p}/>` : !beyond && none)}<//>`;
}

export const dim = (x) => html`<span class="dim">${x}<//>`;
export const more = (n) => n > 0 && html`<p class="dim">and ${n} more</p>`;

const reasons = {
	holds_exceed_remaining_stock: "More is promised than would be left.", pinned_holds_in_the_way: "Pinned holds are in the way: they cannot be moved.", not_enough_stock: "At one instant too few units are there.", fragmented_by_pinned_holds: "Units are free at every instant, but pinned holds leave none free for the whole time.",
};
export const reason = (of) => reasons[of.reason] || of.reason;

export const kindOf = (u) => ({order: "Order", hold: "Hold"})[u.blockerType] || "Event";

/** Who stands in the way, as bars one can go to. */
function Blockers({list, total}) {
	if (!list.length) return null;
	return html`<details class="blockers"><summary>${total > list.length ? list.length + " of " + total : list.length} in the way<//><ul>
		${list.map((u) => html`<li key=${u.id}><button class="link" onClick=${() => go("timeline", {at: u.serviceLocationId, on: Date.parse(u.range.start), article: u.articleId, bar: u.id})}>
			${kindOf(u)} · ${fmtRange(u.range.start, u.range.end, zoneOf(u.serviceLocationId))}<//><//>`)}<//><//>`;
}

function Confirm({label, ask, onYes}) {
	const [open, set] = useState(false), box = useRef(null), turn = (to) => {set(to); setTimeout(() => box.current?.lastElementChild.focus());};
	return html`<span class=${open && "confirm"} ref=${box} role="group" aria-label=${ask}>${open ? html`<span>${ask}<//><Button kind="danger" onClick=${async () => {await onYes(); turn(false);}}>${label}<//>
		<Button kind="plain" onClick=${() => turn(false)}>Keep<//>` : html`<Button kind="danger" onClick=${() => turn(true)}>${label}<//>`}<//>`;
}

Object.assign(parts, {Icon, Button, Field, Select, PlaceSelect, When, Form, Search, SKUSelect, Steps, Legend, Choice, Badge, Loading, Empty, Failed, Read, Notes, Panel, Once, Facts, Pages, Table, List, Blockers, Confirm});
