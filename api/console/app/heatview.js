// This file owns the heat map: SKUs by days, how many are free of how many.
import {html, useEffect, useLayoutEffect, useRef, useState} from "./base.js";
import {get, useData} from "./api.js";
import {go, route, setQ} from "./route.js";
import {place, zone} from "./store.js";
import {useDrawn, useSize} from "./ui.js";
import {addDays, between, clock, days, dayStart, fmtDay, fmtDayNo, fmtMonthShort, fmtWeekday, week, weekday} from "./time.js";

const ROW = 34, PAGE = 25, AROUND = 1; // rows that are drawn above and below those in view

function fullness(free, stock) {
	if (stock === 0 && free >= 0) return "none";
	if (free < 0) return "over";
	if (free === 0) return "f0";
	const share = free / stock;
	return "f" + (1 + [0.2, 0.45, 0.75].filter((x) => share > x).length);
}

export function Heat({q}) {
	const z = zone.value, n = +q.days || 35;
	const from = dayStart(+q.from || clock(), z), edges = days(from, n, z), to = edges[n];
	const [see, setSee] = useState({top: 0, first: 0, last: PAGE, width: 0}), p0 = Math.floor(see.first / PAGE) + 1, p1 = Math.max(p0, Math.floor((see.last - 1) / PAGE) + 1);
	const of = useData(async (o) => {
		const read = (page) => get("availability/counts", {serviceLocationId: q.at, ...between(from, to), page, pageSize: PAGE}, o);
		const pages = await Promise.all(Array.from({length: p1 - p0 + 1}, (_, i) => read(p0 + i)));
		return {...pages[0], first: (p0 - 1) * PAGE, data: pages.flatMap((a) => a.data)};
	}, [q.at, from, to, p0, p1]);
	return html`<div class="tools tight"><Steps names=${["A week before", "A week later"]} step=${(by) => setQ({from: addDays(from, 7 * by, z)})} now=${() => setQ({from: null})}/>
			<Choice label="How long" of=${[[14, "2 weeks"], [35, "5 weeks"], [90, "Season"]]} value=${n} set=${(days) => setQ({days})}/>
			<strong>${fmtDay(from, z)} – ${fmtDay(addDays(from, n - 1, z), z)}<//><span class="grow"><//><span class="dim">Fewest free at an instant of the day${place.value ? " at " + place.value.name : ", all places"}<//><//>
		<Read of=${of} rows=${12}>${(data) => (data.pagination.total ? html`<${Grid} data=${data} z=${z} key=${n} see=${see} setSee=${setSee}/>` : html`<Empty title="No SKUs yet" icon="heat"><a href="#/import">Import some</a><//>`)}<//>
		<Legend of=${Object.entries({f0: "none free", f1: "up to a fifth", f2: "less than half", f3: "up to three quarters", f4: "more", over: "more promised than there is", none: "no stock"}).map(([c, text]) => ["cell " + c, text])}>${of.data && "as of " + of.data.sequence.toLocaleString()}<//>`;
}

function Grid({data, z, see, setSee}) {
	const box = useRef(null), [at, setAt] = useState({r: 0, c: 0, keys: false});
	const edges = data.edges.map(Date.parse), n = edges.length - 1, total = data.pagination.total;
	const name = see.width && see.width < 560 ? 112 : 208, w = Math.max(n > 40 ? 24 : 34, Math.floor((see.width - name) / n)), today = dayStart(clock(), z);
	const look = () => {
		const e = box.current;
		if (!e) return; // the view was left while it scrolled
		const top = Math.floor(e.scrollTop / ROW), first = Math.max(0, top - AROUND);
		const next = {top, first, last: Math.min(total, top + Math.ceil(e.clientHeight / ROW) + AROUND), width: e.clientWidth};
		setSee((s) => (s.top === top && s.width === next.width && s.last === next.last ? s : next));
	};
	useSize(box, look);
	useLayoutEffect(() => {box.current.scrollTop = +route.value.q.row * ROW || 0;}, []);
	useEffect(() => {const t = setTimeout(() => setQ({row: see.top || null}), 300); return () => clearTimeout(t);}, [see.top]);
	const move = (e) => {
		const by = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -n], End: [0, n]}[e.key];
		if (!by) return;
		e.preventDefault();
		setAt((a) => ({r: Math.min(total - 1, Math.max(0, a.r + by[0])), c: Math.min(n - 1, Math.max(0, a.c + by[1])), keys: true}));
	};
	const draw = useDrawn(), rows = [], tab = at.r >= see.first && at.r < see.last ? at.r : see.first;
	for (let r = see.first; r < see.last; r++) {
		const s = data.data[r - data.first], c = r === tab ? at.c : -1;
		if (s) rows.push(draw(s.id, [s, r, c, w], () => line(s, r, c, w, edges, z)));
	}
	useEffect(() => {if (at.keys) box.current.querySelector(`[data-cell="${at.r}-${at.c}"]`)?.focus();}, [at]);
	return html`<div class="heat" ref=${box} onScroll=${look} onKeyDown=${move} style=${{"--name": name + "px"}} role="grid" aria-label="Free units by SKU and day" aria-rowcount=${total}>
		<div class="heat-head" role="row"><div class="tl-name" role="columnheader">SKU<//>${edges.slice(0, n).map((t, i) => html`<div role="columnheader" class=${"heat-day" + (t === today ? " today" : "") + (week.weekend.includes(weekday(t, z)) ? " weekend" : "")} style=${{width: w + "px"}} aria-label=${fmtDay(t, z)}>
			${w < 30 && i && weekday(t, z) !== week.first ? fmtWeekday(t, z).slice(0, 1) : i === 0 || fmtDayNo(t, z) === "1" ? fmtMonthShort(t, z) : fmtWeekday(t, z)}<b>${fmtDayNo(t, z)}</b><//>`)}<//>
		<div style=${{height: total * ROW + "px", width: name + n * w + "px", position: "relative"}}>${rows}<//><//>`;
}

/** A SKU's days; arrows lead on from one of them. */
const line = (s, r, tab, w, edges, z) => html`<div key=${s.id} class="heat-row" role="row" aria-rowindex=${r + 1} style=${{top: r * ROW + "px"}}><div class="tl-name" role="rowheader" title=${s.name}><span>${s.name}<//><//>
	${s.minFree.map((f, c) => {
		const says = `${fmtDay(edges[c], z)}: ${f} of ${s.stock[c]} free`;
		return html`<button key=${c} role="gridcell" data-cell=${r + "-" + c} tabindex=${c === tab ? 0 : -1} class=${"cell " + fullness(f, s.stock[c])} style=${`width:${w}px`} aria-label=${s.name + ", " + says} title=${says} onClick=${() => go("timeline", {sku: s.id, on: edges[c]})}>${f}<//>`;
	})}<//>`;
