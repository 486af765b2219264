// This file owns the parts that views are made of: buttons, fields, dialogs, notes, and the states of what is read.
import {html, signal, useEffect, useLayoutEffect, useRef, useState} from "./base.js";
import {go, href, route, setQ} from "./route.js";
import {places, skus, zone} from "./store.js";
import {fmtInstant, fmtRange, fromInput, toInput} from "./time.js";

export const Icon = ({name}) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href=${"/console/icons.svg#" + name}/></svg>`;

const CALM = 500; // as long as the second click of a double click may take
/** A button, busy while it works. A pointer's click is not taken right after that, nor where another button just was. */
export function Button({onClick, kind = "", icon, label, children, disabled, ...rest}) {
	const [busy, set] = useState(false), box = useRef(null), here = useRef(null);
	useLayoutEffect(() => {
		const {x, y} = box.current.getBoundingClientRect(), text = box.current.textContent, was = here.current;
		if (text !== was?.text || Math.hypot(x - was.x, y - was.y) > 20) here.current = {x, y, text, since: performance.now()};
	});
	const act = async (e) => {
		if (e.detail && performance.now() - here.current.since < CALM) return e.stopPropagation();
		const r = onClick(e);
		if (r?.then) {
			set(true);
			try {await r;} catch (x) {tell(x);} finally {set(false); here.current.since = performance.now();}
		}
	};
	return html`<button type="button" ref=${box} class=${"btn " + kind} onClick=${act} disabled=${disabled || busy} aria-busy=${busy ? "true" : null} aria-label=${label} title=${label} ...${rest}>
		${icon && html`<${Icon} name=${icon}/>`}${children}</button>`;
}

export const Field = ({label, children, wide}) => html`<label class=${"field" + (wide ? " wide" : "")}><span class="name">${label}</span>${children}</label>`;

export const Select = ({value, onChange, options, ...rest}) => html`<select value=${value} onChange=${(e) => onChange(e.target.value)} ...${rest}>
	${options.map(([v, text]) => html`<option value=${v} selected=${v === value}>${text}</option>`)}</select>`;

export const PlaceSelect = ({none = "All places", value, ...rest}) => html`<${Select} value=${value || ""} options=${[...(none ? [["", none]] : []), ...places.value.map((x) => [x.id, x.name])]} aria-label="Place" ...${rest}/>`;

/** Draws by keys, and again only what is of something else. */
export function useDrawn() {
	const last = useRef(new Map()), next = new Map(), before = last.current;
	last.current = next;
	return (key, of, draw) => {
		const was = before.get(key), is = was?.of.every((x, i) => x === of[i]) ? was : {of, is: draw()};
		return next.set(key, is) && is.is;
	};
}

/** Looks again whenever a box has another size. */
export const useSize = (box, look) => useLayoutEffect(() => {
	const o = new ResizeObserver(look);
	o.observe(box.current);
	return () => o.disconnect();
}, []);

/** A local time, or a day. What is picked is taken at once, what is typed by Enter or when the field is left. */
export function When({value, onChange, z = zone.value, day, none, ...rest}) {
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
export function Form({send, ...rest}) {
	const busy = useRef(false);
	return html`<form onSubmit=${async (e) => {
		e.preventDefault();
		if (busy.current) return;
		busy.current = true;
		try {await send(Object.fromEntries([...new FormData(e.target)].filter(([, v]) => v)), e.target);} catch (x) {tell(x);} finally {busy.current = false;}
	}} ...${rest}/>`;
}

/** Text, when typing rests; of names the first that have it are offered. */
export function Search({value, onChange, label = "Name or code", of, ...rest}) {
	const [text, set] = useState(value || "");
	const timer = useRef(0);
	useEffect(() => {set(value || "");}, [value]);
	return html`<input type="search" value=${text} placeholder=${label} aria-label=${label} onInput=${(e) => {
		const v = e.target.value;
		set(v);
		clearTimeout(timer.current);
		timer.current = setTimeout(() => onChange(v), 250);
	}} list=${of && "offers"} ...${rest}/>${of && html`<datalist id="offers">${of.filter((x) => x.toLowerCase().includes(text.toLowerCase())).slice(0, 50).map((x) => html`<option value=${x}/>`)}</datalist>`}`;
}

/** One of perhaps thousands of SKUs, by its name. */
export const SKUSelect = ({value, onChange}) => html`<${Search} label="SKU" of=${skus.value.map((s) => s.name)} value=${skus.value.find((s) => s.id === value)?.name} onChange=${(v) => {
	const found = skus.value.find((s) => s.name === v);
	if (found || !v) onChange(found?.id);
}}/>`;

export const Steps = ({names, step, now}) => html`<${Button} kind="plain" icon="left" label=${names[0]} onClick=${() => step(-1)}/><${Button} onClick=${now}>Today<//><${Button} kind="plain" icon="right" label=${names[1]} onClick=${() => step(1)}/>`;

/** What colours mean: a class with what it stands for. */
export const Legend = ({of, children}) => html`<div class="legend">${of.map(([c, text]) => html`<span key=${c}><i class=${c}></i>${text}</span>`)}<span class="grow right">${children}</span></div>`;

export const Choice = ({label, of, value, set}) => html`<div class="seg" role="group" aria-label=${label}>${of.map(([v, text]) => html`<${Button} aria-pressed=${v === value} onClick=${() => set(v)}>${text}<//>`)}</div>`;

export const Badge = ({kind = "", children, title}) => html`<span class=${"badge " + kind} title=${title}>${children}</span>`;

export const Loading = ({rows = 6}) => html`<div class="skeleton" role="status" aria-label="Loading">${Array.from({length: rows}, (_, i) => html`<span style=${{width: 90 - i * 7 + "%"}}></span>`)}</div>`;

/** Nothing is there, and what to do about it. */
export const Empty = ({title, children, icon = "lookup"}) => html`<div class="empty"><${Icon} name=${icon}/><h2>${title}</h2>${children}</div>`;

/** What went wrong: of lines who stands in the way and when it would do; and a way on. */
export function Failed({error, again, names = []}) {
	const lines = error.details?.lines || [];
	return html`<div class="notice bad" role="alert"><strong>${error.title || "That did not work"}</strong>
		${!lines.length && html`<p>${error.message}</p>`}<${Faults} error=${error}/>
		${lines.map((l) => html`<section key=${l.line}><p>${names[l.line] ? html`<b>${names[l.line]}</b>: ` : ""}${l.requested} asked for, <b>${l.available}</b> to be had. ${reason(l)}</p>
			${l.next?.from && html`<p>It fits from <b>${fmtInstant(l.next.from, zone.value)}</b>.</p>`}<${Blockers} list=${l.blockingUnavailabilities || []} total=${l.blockingTotal}/></section>`)}
		${error.code && html`<p class="dim"><a href=${"/docs/errors#" + error.code.toLowerCase()} target="_blank">${error.code}</a></p>`}${again && html`<${Button} onClick=${again}>Try again<//>`}</div>`;
}

const Faults = ({error}) => (error.errors?.length ? html`<ul class="faults">${error.errors.slice(0, 20).map((f) => html`<li><code>${f.pointer}</code> ${f.message}</li>`)}</ul>` : null);

/** What a loader gave: its states, then the content. */
export function Read({of, children, rows}) {
	const failed = of.error && html`<${Failed} error=${of.error} again=${of.again}/>`;
	return of.data ? html`${failed}${children(of.data)}` : failed || html`<${Loading} rows=${rows}/>`;
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
export const Notes = () => html`<div class="notes" role="status" aria-live="polite">${notes.value.map((n) => html`<div key=${n.id} class=${"note" + (n.bad ? " bad" : "")}>
	<div>${n.bad ? n.what.message : n.what}<${Faults} error=${n.what}/></div><${Button} kind="plain small" icon="close" label="Close this note" onClick=${() => drop(n.id)}/></div>`)}</div>`;

/** A panel at the side, which Esc closes; then the focus goes back. */
export function Panel({title, onClose, children, actions}) {
	const box = useRef(null);
	useEffect(() => {
		const before = /** @type {HTMLElement} */ (document.activeElement);
		box.current?.focus();
		return () => before?.focus?.();
	}, []);
	return html`<aside class="panel" role="dialog" aria-label=${title} tabindex="-1" ref=${box} onKeyDown=${(e) => {
		if (e.key === "Escape") {e.stopPropagation(); onClose();}
	}}><header><h2>${title}</h2><${Button} kind="plain" icon="close" label="Close" onClick=${onClose}/></header><div class="body">${children}</div>${actions && html`<footer>${actions}</footer>`}</aside>`;
}

/** A secret that is shown only once. */
export const Once = ({of, secret, done}) => html`<div class="notice good" role="status"><strong>${of}, shown only once</strong><pre>${secret}</pre><${Button} kind="small" onClick=${done}>I have it<//></div>`;

export const Facts = ({of}) => html`<dl class="facts">${of.filter((x) => (x?.[1] ?? "") !== "").map(([k, v]) => html`<div><dt>${k}</dt><dd>${v}</dd></div>`)}</dl>`;

export function Pages({of}) {
	const to = (page) => () => setQ({page});
	if (of.totalPages <= 1) return html`<p class="dim count">${of.total} in all</p>`;
	return html`<nav class="pages" aria-label="Pages"><${Button} kind="plain" icon="left" label="Page before" disabled=${of.page <= 1} onClick=${to(of.page - 1)}/>
		<span>Page ${of.page} of ${of.totalPages}, ${of.total} in all</span>
		<${Button} kind="plain" icon="right" label="Next page" disabled=${of.page >= of.totalPages} onClick=${to(of.page + 1)}/></nav>`;
}

/** A table: its heads, # before a number's, none over buttons; and its rows, an id and cells. With a name in the address a row is opened by it. */
export function Table({heads, rows, name}) {
	const {view, q} = route.value, text = (i) => heads[i].replace("#", ""), kind = (i) => ({"#": "num", "": "right"})[heads[i].slice(0, 1)];
	return html`<div class="scroll"><table><thead><tr>${heads.map((_, i) => html`<th class=${kind(i)}>${text(i)}</th>`)}</tr></thead><tbody>${rows.map(([id, ...cells]) => html`<tr key=${id} class=${name && "go" + (q[name] === id ? " picked" : "")} onClick=${name && (() => setQ({[name]: id}))}>
		${cells.map((c, i) => html`<td class=${kind(i)} data-head=${text(i)}>${name && !i ? html`<a href=${href(view, {...q, [name]: id})} onClick=${(e) => e.stopPropagation()}>${c}</a>` : c}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** A page of a list, by what makes a row of an element; or what stands for an empty one. */
export const List = ({of, row, none, ...rest}) => html`<${Read} of=${of}>${(d) => (d.data.length ? html`<${Table} rows=${d.data.map((x) => row(x, d))} ...${rest}/><${Pages} of=${d.pagination}/>` : none)}<//>`;

export const dim = (x) => html`<span class="dim">${x}</span>`;
export const more = (n) => n > 0 && html`<p class="dim">and ${n} more</p>`;

const reasons = {
	holds_exceed_remaining_stock: "More is promised than would be left.", pinned_holds_in_the_way: "Pinned holds are in the way: they cannot be moved.", not_enough_stock: "At one instant too few units are there.", fragmented_by_pinned_holds: "Units are free at every instant, but pinned holds leave none free for the whole time.",
};
export const reason = (of) => reasons[of.reason] || of.reason;

export const kindOf = (u) => ({order: "Order", hold: "Hold"})[u.blockerType] || "Event";

/** Who stands in the way, as bars one can go to. */
export function Blockers({list, total}) {
	if (!list.length) return null;
	return html`<details class="blockers"><summary>${total > list.length ? list.length + " of " + total : list.length} in the way</summary><ul>
		${list.map((u) => html`<li key=${u.id}><button class="link" onClick=${() => go("timeline", {at: u.serviceLocationId, on: Date.parse(u.range.start), article: u.articleId, bar: u.id})}>
			${kindOf(u)} · ${fmtRange(u.range.start, u.range.end, zone.value)}</button></li>`)}</ul></details>`;
}

export function Confirm({label, ask, onYes}) {
	const [open, set] = useState(false);
	if (!open) return html`<${Button} kind="danger" onClick=${() => set(true)}>${label}<//>`;
	return html`<span class="confirm" role="group" aria-label=${ask}><span>${ask}</span><${Button} kind="danger" onClick=${async () => {await onYes(); set(false);}}>${label}<//>
		<${Button} kind="plain" onClick=${() => set(false)}>Keep<//></span>`;
}
