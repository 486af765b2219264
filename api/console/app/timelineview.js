// This file owns the timeline: articles and units as rows, time across; what is out of sight has no elements.
import {html, useEffect, useLayoutEffect, useMemo, useRef, useState} from "./base.js";
import {go, read, setQ} from "./route.js";
import {place, zone} from "./store.js";
import {kindOf, reason, useDrawn, useSize} from "./ui.js";
import {DAY, HOUR, addDays, between, clock, dateOf, dayStart, days, fmtDay, fmtDayNo, fmtMonth, fmtRange, fmtTime, fmtWeekday, week, weekday, ms} from "./time.js";
import {PAGE, useRows} from "./timelinedata.js";
import {useMoving} from "./timelinemove.js";
import {BarPanel} from "./barpanel.js";

export const ROW = 36;
/** Pixels of a day, days of the window before and behind what is seen, and the step of a move. */
const zooms = {
	hours: {text: "Hours", day: 960, before: 1, after: 3, snap: HOUR / 4}, days: {text: "Days", day: 150, before: 5, after: 10, snap: HOUR},
	weeks: {text: "Weeks", day: 44, before: 14, after: 14, snap: DAY}, season: {text: "Season", day: 13, before: 7, after: 5, snap: DAY},
};

export function Timeline({q}) {
	const z = zone.value, zoom = zooms[q.zoom] ? q.zoom : "days", level = zooms[zoom];
	const [anchor, setAnchor] = useState(() => +q.on || addDays(dayStart(clock(), z), -1, z));
	const scroller = useRef(null), [see, setSee] = useState(null), asked = useRef(0);
	// The window is laid around the instant that a link names.
	useEffect(() => {
		const on = +q.on;
		if (on && on !== asked.current) {setAnchor(on); jump.current = on;}
		asked.current = on || 0;
	}, [q.on]);
	const perMs = level.day / DAY, width = see?.width || 1000, name = width < 560 ? 118 : 230, jump = useRef(anchor), span = level.before + Math.ceil((width - name) / level.day) + level.after;
	const w0 = useMemo(() => addDays(dayStart(anchor, z), -level.before, z), [anchor, z, zoom]), w1 = useMemo(() => addDays(w0, span, z), [w0, span]);
	const x = (t) => name + (Math.min(Math.max(t, w0), w1) - w0) * perMs;

	const open = useMemo(() => new Set((q.open || "").split(",").filter(Boolean)), [q.open]);
	const query = {dateRange: between(w0, w1), serviceLocationId: q.at, skuId: q.sku, search: q.search, ids: q.article ? [q.article] : undefined};
	const first = see ? Math.floor(see.top / ROW) : 0, last = see ? first + Math.ceil(see.height / ROW) + 1 : 30;
	const rows = useRef(null), around = [Math.max(0, first - 3), last + 6], wanted = [];
	const page = (i) => rows.current?.page(i) || Math.floor(i / PAGE) + 1;
	for (let p = page(around[0]); see && p <= page(around[1]); p++) wanted.push(p);
	const [of, {error, again}] = useRows(query, wanted, (r) => open.has(r.id) || r.bars.some((b) => b.id === q.bar));
	const layout = rows.current = useMemo(() => fold(of, open), [of, open]);

	const timer = useRef(0), resting = useRef(null);
	const look = () => {
		const e = scroller.current;
		if (!e) return;
		const left = Math.floor(e.scrollLeft / 400) * 400, top = Math.floor(e.scrollTop / (ROW * 4)) * ROW * 4;
		setSee((s) => (s && s.left === left && s.top === top && s.width === e.clientWidth && s.height === e.clientHeight ? s : {left, top, width: e.clientWidth, height: e.clientHeight}));
		clearTimeout(timer.current);
		timer.current = setTimeout(() => resting.current(), 350);
	};
	// Where scrolling came to rest stands in the address; near an edge the window is laid anew.
	const rest = () => {
		const e = scroller.current;
		if (!e || jump.current || Number(read().q.on || 0) !== asked.current) return; // another place is asked for by now
		const t = Math.round((w0 + e.scrollLeft / perMs) / 900_000) * 900_000;
		asked.current = t;
		if (e.scrollLeft < 40 || e.scrollLeft + e.clientWidth > name + (w1 - w0) * perMs - 40) {jump.current = t; setAnchor(t);}
		setQ({on: t, row: Math.floor(e.scrollTop / ROW) || null});
	};
	resting.current = rest;
	useEffect(() => () => clearTimeout(timer.current), []);
	useLayoutEffect(() => {
		if (!scroller.current || !jump.current) return;
		scroller.current.scrollLeft = (jump.current - w0) * perMs;
		jump.current = 0;
		look();
	}, [w0, zoom, jump.current]);
	useSize(scroller, look);
	// A link says which row was the first; another choice of articles begins at theirs.
	const chosen = [q.sku, q.search, q.at, q.article].join(), scrolled = useRef("");
	useLayoutEffect(() => {
		if (!layout.length || scrolled.current === chosen) return;
		scroller.current.scrollTop = scrolled.current ? 0 : Number(q.row || 0) * ROW;
		scrolled.current = chosen;
	}, [chosen, !layout.length]);

	const move = useMoving({layout, perMs, snap: level.snap, z, scroller});
	const show = (t, more) => {jump.current = t; asked.current = t; setAnchor(t); setQ({on: t, ...more});};
	const leftAt = () => Math.round(w0 + (scroller.current?.scrollLeft || 0) / perMs);
	const step = (dir) => {const days = Math.max(1, Math.round((width - name) / level.day * 0.8)); show(addDays(leftAt(), dir * days, z));};
	const t0 = see ? w0 + (see.left - 200) / perMs : w0, t1 = see ? w0 + (see.left + see.width + 400) / perMs : w1;
	const picked = q.bar && layout.find(q.bar);
	const at = useMemo(() => ({x, t0, t1, z, w1, picked: q.bar, away: move.active, target: move.target, open}), [name, perMs, w0, t0, t1, z, q.bar, move.active, move.target, open]);
	// What does not change while one scrolls down is drawn once.
	const [head, grid] = useMemo(() => {
		const m = {x, w1, z, zoom, ...marks(zoom, t0, t1, w0, w1, z)};
		return [html`<${Head} ...${m}/>`, html`<${Grid} ...${m}/>`];
	}, [zoom, t0, t1, w0, z, Math.floor(clock() / 60_000)]);
	const ghost = (g) => box(x(g.from), Math.max(8, (g.to - g.from) * perMs), g.row * ROW + 5);
	const lane = lanes(of.conflicts, perMs, t0, t1), draw = useDrawn(), lines = [];
	let tab = ""; // arrows lead on from this bar
	for (let i = around[0]; i < Math.min(around[1], layout.length); i++) {
		const r = layout.at(i), first = tab ? undefined : r.bars.find((b) => b.to > t0 + 200 / perMs && b.from < t1)?.id;
		tab ||= first;
		lines.push(draw(r.key, [at, r.row, i, r.first, first], () => line(r, at, first)));
	}
	const under = (e) => e.target.closest("[data-bar]");
	return html`<div class="tools tight"><Steps names=${["Earlier", "Later"]} step=${step} now=${() => show(addDays(dayStart(clock(), z), zoom === "hours" ? 0 : -1, z))}/>
			<Choice label="Zoom" of=${Object.entries(zooms).map(([v, l]) => [v, l.text])} value=${zoom} set=${(v) => show(leftAt(), {zoom: v})}/>
			<When day aria-label="Go to a day" value=${+q.on || anchor} onChange=${show}/>
			<SKUSelect value=${q.sku} onChange=${(sku) => setQ({sku, article: null}, true)}/><Search value=${q.search} onChange=${(search) => setQ({search, article: null})}/>
			${q.article && html`<Button kind="small" icon="close" onClick=${() => setQ({article: null})}>One article<//>`}
			<span class="grow"><//><span class="dim nowrap">${layout.total.toLocaleString()} article${layout.total === 1 ? "" : "s"}${of.sequence ? " · as of " + of.sequence.toLocaleString() : ""}<//><//>
		${error && html`<Failed error=${error} again=${again}/>`}
		<div class="tl-wrap"><div class="tl" data-rows=${layout.length} ref=${scroller} onScroll=${look} ...${move.handlers} role="group" aria-label="Timeline of articles">
			<div class="tl-all" style=${{width: name + (w1 - w0) * perMs + "px", "--name": name + "px"}}>${head}
				${lane.height > 0 && html`<div class="tl-lane" style=${{height: lane.height + "px"}}><div class="tl-name">Conflicts <Badge kind="bad">${of.conflicts.length + of.conflicts.left}<//><//>
					${lane.list.map((c) => html`<button key=${c.id} type="button" class="bar conflict" style=${box(x(c.from), Math.max(6, x(c.to) - x(c.from)), 4 + c.lane * 28)}
						title=${reason(c)} aria-label=${"Conflict: " + reason(c) + " " + fmtRange(c.from, c.to, z)} onClick=${() => go("conflicts", {id: c.id})}>${c.reason === "not_enough_stock" ? "Too few units" : "No unit free throughout"}<//>`)}<//>`}
				<div class="tl-body" style=${{height: layout.length * ROW + "px"}} onPointerOver=${(e) => {const b = under(e); if (b) b.title = b.ariaLabel;}}
					onClick=${(e) => {const b = under(e); if (b && !move.swallow()) setQ({bar: b.dataset.bar});}}>${layout.length > 0 && grid}${lines}
					${move.ghost && html`<div class=${"bar ghost" + (move.ghost.no ? " no" : "")} style=${ghost(move.ghost)}>${move.ghost.text}<//>`}
					${(move.others || []).map((o) => html`<div key=${o.id} class="bar ghost" style=${ghost(o)}>${o.text}<//>`)}<//><//><//>
			${!of.pages.size && !error && html`<Loading rows=${8}/>`}
			${of.pages.size > 0 && !layout.total && html`<Empty title="No article here" icon="timeline"><p>Nothing passes the filters${place.value ? " at " + place.value.name : ""}.</p><Button onClick=${() => setQ({sku: null, search: null, article: null})}>Show all<//><//>`}
			${move.says && html`<div class=${"moving" + (move.ghost?.no ? " no" : "")} role="status" aria-live="assertive">${move.says}<//>`}<//>
		<Legend of=${[...["order", "out", "late", "hold", "event", "conflict"].map((x) => ["bar " + x, x]), ["buf", "buffer"], ["bar moved", "moved by the engine"], ["tl-gone", "not here"]]}>Drag a bar, or focus it and press <b>M</b><//>
		${picked && html`<${BarPanel} key=${picked.bar.id} bar=${picked.bar} row=${picked.row} z=${z} onMove=${() => move.begin(picked.bar.id)}/>`}`;
}

function box(left, width, top) {
	const px = (n) => (n === undefined ? n : n + "px");
	return {left: px(left), width: px(width), top: px(top)};
}

/** Rows in order: an article, behind an open one its units. */
function fold(of, open) {
	const opened = [];
	let extra = 0;
	for (const [p, list] of [...of.pages].sort((a, b) => a[0] - b[0])) list.forEach((row, i) => {
		const index = (p - 1) * PAGE + i, n = row.slots.length;
		if (open.has(row.id) && n) {opened.push({index, n, row, line: index + extra}); extra += n;}
	});
	const end = of.pages.size ? Math.max(1, Math.ceil(of.total / PAGE)) : Infinity, row = (i) => of.pages.get(Math.floor(i / PAGE) + 1)?.[i % PAGE];
	// The article that a line is of, and which of its units it is, if it is one.
	const where = (i) => {
		const o = opened.findLast((o) => o.line < i), unit = i - o?.line;
		return !o ? {index: i} : unit <= o.n ? {index: o.index, o, unit} : {index: o.index + unit - o.n};
	};
	return {
		total: of.total, length: of.total + extra,
		page: (i) => Math.min(Math.floor(where(i).index / PAGE) + 1, end),
		at(i) {
			const {index, o, unit} = where(i), r = o?.row || row(index), slot = o?.row.slots[unit - 1];
			if (o) return {i, key: r.id + slot, row: r, unit, bars: r.bars.filter((b) => b.slotId === slot)};
			return {i, key: r?.id || "wait" + i, row: r, bars: r && r.units <= 1 ? r.bars : [], first: !index || row(index - 1)?.sku?.id !== r?.sku?.id};
		},
		find(id) {
			for (const list of of.pages.values()) for (const r of list) for (const b of [...r.bars, ...r.conflicts]) if (b.id === id) return {row: r, bar: b};
			return null;
		},
		lineOf(id) {
			for (const [p, list] of of.pages) {
				const i = list.findIndex((r) => r.id === id);
				const index = (p - 1) * PAGE + i, o = opened.findLast((o) => o.index < index);
				if (i >= 0) return index + (o ? o.line - o.index + o.n : 0);
			}
			return -1;
		},
	};
}

/** Conflicts below each other where they overlap, three deep. */
function lanes(list, perMs, t0, t1) {
	const ends = [], out = [];
	for (const c of list.map(({unavailability: {id, range}, reason}) => ({id, reason, from: ms(range.start), to: range.end ? ms(range.end) : Infinity})).sort((a, b) => a.from - b.from)) {
		let lane = ends.findIndex((e) => e <= c.from);
		if (lane < 0) lane = ends.length < 3 ? ends.length : 2;
		ends[lane] = Math.max(c.to, c.from + 60 / perMs);
		if (c.to > t0 && c.from < t1) out.push({...c, lane});
	}
	return {list: out, height: ends.length ? ends.length * 28 + 6 : 0};
}

function marks(zoom, t0, t1, w0, w1, z) {
	const big = [], small = [], from = Math.max(t0, w0), to = Math.min(t1, w1), n = Math.ceil((to - from) / DAY) + 2;
	const list = days(from, n, z).filter((t) => t < to);
	for (const d of list) {
		const day = fmtDayNo(d, z);
		if (zoom === "hours") {
			big.push([d, fmtDay(d, z)]);
			for (let h = 0; h < 24; h += 2) {const t = addDays(d, h / 24, z); small.push([t, fmtTime(t, z), false, h === 0]);}
		} else {
			const first = dateOf(d, z).getUTCDate() === 1;
			if (first || d === list[0]) big.push([d, fmtMonth(d, z)]);
			if (zoom === "days") small.push([d, fmtWeekday(d, z) + " " + day, true, weekday(d, z) === week.first]);
			else if (zoom === "weeks") small.push([d, day, true, weekday(d, z) === week.first]);
			else if (weekday(d, z) === week.first) small.push([d, day, false, first]);
		}
	}
	return {big, small, list};
}

function Head(p) {
	const {big, small} = p, today = dayStart(clock(), p.z);
	return html`<div class="tl-head"><div class="tl-name">Article<//>
		${big.map(([t, text], i) => html`<div class="tl-big" style=${box(p.x(t), p.x(big[i + 1]?.[0] ?? p.w1) - p.x(t))}><span>${text}<//><//>`)}
		${small.map(([t, text]) => html`<div class=${"tl-small" + (t === today ? " today" : "")} style=${box(p.x(t))}>${text}<//>`)}<//>`;
}

function Grid(p) {
	const {small, list} = p, now = clock();
	return html`${list.filter((d) => p.zoom !== "season" && week.weekend.includes(weekday(d, p.z))).map((d) => html`<div class="tl-shade" style=${box(p.x(d), p.x(addDays(d, 1, p.z)) - p.x(d))}><//>`)}
		${small.map(([t, , , strong]) => html`<div class=${"tl-line" + (strong ? " strong" : "")} style=${box(p.x(t))}><//>`)}${now > p.list[0] && now < p.w1 && html`<div class="tl-now" title="Now" style=${box(p.x(now))}><//>`}`;
}

function line(r, at, tab) {
	const {row} = r, {open} = at, style = `top:${r.i * ROW}px`;
	if (!row) return html`<div key=${r.key} class="tl-row" style=${style}><div class="tl-name dim">…<//><//>`;
	const lot = row.units > 1 && !r.unit, conflicts = r.unit ? [] : row.conflicts, till = lot ? row.stepsTill : row.till, left = row.left + (lot && !open.has(row.id) ? 0 : row.barsLeft);
	return html`<div key=${r.key} class=${"tl-row" + (r.first ? " first" : "") + (r.unit ? " unit" : "") + (at.target === r.key ? " target" : "")} style=${style} data-row=${r.i}>
		<div class="tl-name" title=${row.name + (row.sku ? " · " + row.sku.name : "")}>${lot && row.slots.length > 0 && html`<Button kind="plain small" label=${(open.has(row.id) ? "Hide" : "Show") + " the units of " + row.name} aria-expanded=${open.has(row.id)} onClick=${() => {
			const next = new Set(open);
			if (!next.delete(row.id)) next.add(row.id);
			setQ({open: [...next].join(",")});
		}}>${open.has(row.id) ? "▾" : "▸"}<//>`}<span>${r.unit ? "Unit " + r.unit : row.name}${!r.unit && row.code ? html`<small>${row.code}${row.sku && !row.name.startsWith(row.sku.name) ? " · " + row.sku.name : ""}<//>` : ""}<//>${lot && html`<Badge>${row.units}<//>`}${!r.unit && left > 0 && html`<Badge kind="warn" title=${left + " more are not shown"}>+${left}<//>`}<//>
		${lot ? html`<${Lot} row=${row} at=${at}/>` : !r.unit && row.steps.map((s, i) => s.stock === 0 && html`<div class="tl-gone" title="It is not here then" style=${box(at.x(s.from), at.x(row.steps[i + 1]?.from ?? at.w1) - at.x(s.from))}><//>`)}
		${r.bars.map((b) => bar(b, at, row, tab === b.id))}
		${conflicts.map((b) => bar(b, at, row, false, true))}
		${till < at.w1 && html`<div class="tl-gone buf" title="Not all is shown here" style=${box(at.x(till), at.x(at.w1) - at.x(till))}><//>`}
		${!r.unit && row.events.filter((e) => e.to > at.t0 && e.from < at.t1).map((e) => html`<div key=${e.id} class="bar note" title=${e.name} style=${box(at.x(e.from), Math.max(4, at.x(e.to) - at.x(e.from)))}><//>`)}<//>`;
}

/** What takes a unit: its body, and its buffers hatched. Short text needs no element of its own. */
function bar(b, at, row, tab, conflict) {
	if (b.to < at.t0 || b.from > at.t1) return null;
	const {x, z} = at, left = x(b.bodyFrom), right = x(b.bodyTo), before = left - x(b.from), after = x(b.to) - right, seen = Math.max(0, Math.min(x(at.t1), right) - Math.max(left, 0));
	const who = b.orderNumber ? "#" + b.orderNumber + (b.label ? " " + b.label : "") : b.label || kindOf(b), buffered = before > 0 || after > 0;
	const kind = conflict ? "conflict" : b.late ? "late" : b.state !== "due" ? b.state : b.blockerType.replace("scheduled-", "");
	const says = b.says ||= `${who}, ${row.name}, ${fmtRange(b.bodyFrom, b.open ? null : b.bodyTo, z)}${conflict ? ", has no unit" : b.late ? ", late" : b.state === "out" ? ", out" : ""}${b.goes ? ", goes to " + b.goes + " for good" : ""}${b.pinned ? ", pinned" : ""}${b.moved ? ", moved by the engine from " + b.moved : ""}`;
	const text = (b.moved ? "↷ " : "") + (b.pinned && b.state === "due" ? "● " : "") + (b.goes ? "→ " : "") + who;
	return html`<button key=${b.id} data-bar=${b.id} tabindex=${tab || at.picked === b.id ? 0 : -1} class=${["bar", kind, buffered && "buffered", b.moved && "moved", b.open && "open", at.picked === b.id && "on", seen < 14 && "thin", at.away === b.id && "away"].filter(Boolean).join(" ")}
		style=${`left:${left}px;width:${Math.max(3, right - left)}px` + (buffered ? `;--before:${before}px;--after:${after}px` : "")} aria-label=${says}>${seen < 22 ? "" : buffered || seen > 120 ? html`<span class="who">${text}<//>` : text}<//>`;
}

function Lot({row, at}) {
	const top = Math.max(row.units, ...row.steps.map((s) => s.taken), 1), y = (n) => 32 - 26 * n / top;
	const steps = row.steps.filter((s, i) => (row.steps[i + 1]?.from ?? Infinity) > at.t0 && s.from < at.t1);
	if (!steps.length) return null;
	const from = Math.max(at.x(steps[0].from), at.x(at.t0)), X = (t) => Math.max(0, at.x(t) - from), end = X(Math.min(at.t1, at.w1));
	const list = steps.map((s, i) => ({...s, a: X(s.from), b: i + 1 < steps.length ? X(steps[i + 1].from) : end})), line = (of) => list.map((s) => `L${s.a},${y(s[of])}H${s.b}`).join("");
	return html`<svg class="lot" style=${box(from)} width=${Math.max(1, end)} height="36" role="img" aria-label=${`${row.name}: up to ${Math.max(...steps.map((s) => s.taken))} of ${row.units} taken`}><path class="taken" d=${"M0,32" + line("taken") + "V32Z"}/><path class="stock" d=${"M" + line("stock").slice(1)}/>
			${list.map((s) => s.taken > s.stock && html`<rect class="over" x=${s.a} y=${y(s.taken)} height=${y(s.stock) - y(s.taken)} width=${s.b - s.a}/>`)}<//>
		${list.map((s) => s.b - s.a > 44 && html`<span class="tl-lotlabel" style=${box(from + s.a + 3)}>${s.taken}/${s.stock}<//>`)}`;
}
