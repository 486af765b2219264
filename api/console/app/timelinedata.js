// This file owns what the timeline shows: pages of articles with their bars, all of one state.
import {useEffect, useRef, useState} from "./base.js";
import {get, heard, moved, together} from "./api.js";
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
	const bars = r.bars.map((b) => bar(b, now));
	return {
		...r, bars, conflicts: r.conflicts.map((b) => bar(b, now)), steps: r.steps.map((s) => ({...s, from: ms(s.from)})),
		events: r.events.filter((e) => e.type !== "reservation").map((e) => ({...e, from: ms(e.from), to: end(e.to)})),
		slots: r.units > 1 ? [...new Set(bars.map((b) => b.slotId).filter(Boolean))].sort() : [],
	};
}

/** The rows of a window, all of one state, read as they come into view, and what reads them again. Far out of sight only held rows are kept. @returns {any} */
export function useRows(query, wanted, holds) {
	const box = useRef({of: "", pages: new Map(), total: 0, sequence: 0, error: null, conflicts: []}), [state, set] = useState(box.current), [tries, again] = useState(0);
	const of = JSON.stringify(query), live = heard.value, stop = useRef(null), version = useRef(-1);
	useEffect(() => {
		const b = box.current, same = b.of === of, changed = version.current !== live;
		if (!wanted.length || (same && !changed && wanted.every((p) => b.pages.has(p)))) return; // nothing is wanted before it is known how much is seen
		stop.current?.abort();
		const control = stop.current = new AbortController(), signal = control.signal;
		const timer = setTimeout(async () => {
			try {
				const now = clock(), near = (p) => p >= wanted[0] - KEPT && p <= wanted[wanted.length - 1] + KEPT;
				let kept = new Map(same && !changed ? [...b.pages].filter(([p, rows]) => near(p) || rows.some(holds)) : []);
				const got = await together(signal, async (o) => {
					const pages = kept, missing = wanted.filter((p) => !pages.has(p)), lane = {dateRange: query.dateRange, serviceLocationId: query.serviceLocationId, skuId: query.skuId, pageSize: 100};
					kept = new Map(); // what was kept is of another state where this is not the last try
					if (pages.size) o.seen?.add(String(b.sequence));
					const [conflicts, ...got] = await Promise.all([pages.size ? b.conflicts : get("conflicts", lane, o).then((a) => a.data), ...missing.map((p) => get("articles/bars", {...query, page: p, pageSize: PAGE}, o))]);
					got.forEach((g, i) => pages.set(missing[i], g.data.map((r) => rowOf(r, now))));
					return {pages, conflicts, total: got[0].pagination.total, sequence: got[0].sequence};
				});
				if (signal.aborted) return;
				version.current = live;
				set(box.current = {of, ...got, error: null});
			} catch (error) {
				if (!signal.aborted) set({...box.current, error});
			}
		}, !b.pages.size ? 0 : same && changed ? 150 : 40);
		return () => clearTimeout(timer);
	}, [of + wanted.join(), live, tries]);
	useEffect(() => () => stop.current?.abort(), []);
	return [state, () => again(tries + 1)];
}
