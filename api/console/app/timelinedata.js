// This file owns what the timeline shows: pages of articles with their bars, all of one state.
import {useRef} from "./base.js";
import {all, get, heard, moved, useData} from "./api.js";
import {placeName} from "./store.js";
import {clock, ms} from "./time.js";

export const PAGE = 60;
const KEPT = 6; // pages before and behind those in view

const end = (t) => (t === null ? Infinity : ms(t));
/** A bar of an answer, which leaves out what goes without saying. */
function bar(x, now) {
	x.state ||= "due";
	x.bodyFrom = ms(x.bodyFrom);
	x.bodyTo = end(x.bodyTo);
	x.open = x.bodyTo === Infinity;
	x.from = x.from ? ms(x.from) : x.bodyFrom;
	x.to = x.to === undefined ? x.bodyTo : end(x.to);
	x.due = x.dueAt ? ms(x.dueAt) : x.bodyTo;
	x.late = x.state === "out" && x.due <= now;
	x.goes = x.goesToLocationId && placeName(x.goesToLocationId);
	x.moved = !x.pinned && moved.get(x.id); // a pinned one was moved by hand
	return x;
}

function rowOf(r, now) {
	const bars = r.bars.map((b) => bar(b, now)), left = (k) => Math.max(0, r[k + "Total"] - r[k].length) || 0;
	return {
		...r, bars, left: left("conflicts") + left("events"), barsLeft: left("bars"), till: left("bars") ? bars.at(-1).from : Infinity, stepsTill: r.stepped ? Infinity : ms(r.steps.at(-1).from), conflicts: r.conflicts.map((b) => bar(b, now)), steps: r.steps.map((s) => ({...s, from: ms(s.from)})),
		events: r.events.filter((e) => e.type !== "reservation").map((e) => ({...e, from: ms(e.from), to: end(e.to)})),
		slots: r.units > 1 ? [...new Set(bars.map((b) => b.slotId).filter(Boolean))].sort() : [],
	};
}

/** The rows of a window, of one state, read as they come into view; and how that goes. Far out of sight only held rows are kept. @returns {any} */
export function useRows(query, wanted, holds) {
	const box = useRef({of: "", live: -1, pages: new Map(), total: 0, sequence: 0, conflicts: []}), tried = useRef(null), of = JSON.stringify(query);
	const got = useData(async (o) => {
		const b = box.current, live = heard.value, now = clock(), near = (p) => p >= wanted[0] - KEPT && p <= wanted[wanted.length - 1] + KEPT;
		const same = b.of === of && b.live === live && tried.current !== o.signal; // a second try reads all: what was kept is of another state
		tried.current = o.signal;
		const pages = new Map(same ? [...b.pages].filter(([p, rows]) => near(p) || rows.some(holds)) : []), missing = wanted.filter((p) => !pages.has(p));
		if (!missing.length) return b; // nothing is wanted before it is known how much is seen
		if (pages.size) o.seen?.add(String(b.sequence));
		const {dateRange, serviceLocationId, skuId} = query;
		const [conflicts, ...got] = await Promise.all([pages.size ? b.conflicts : all("conflicts", {dateRange, serviceLocationId, skuId}, o), ...missing.map((p) => get("articles/bars", {...query, page: p, pageSize: PAGE}, o))]);
		got.forEach((g, i) => pages.set(missing[i], g.data.map((r) => rowOf(r, now))));
		return {of, live, pages, conflicts, total: got[0].pagination.total, sequence: got[0].sequence};
	}, [query, wanted], box.current.of === of ? 150 : 0);
	box.current = got.data || box.current;
	return [box.current, got];
}
