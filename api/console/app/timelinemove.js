// This file owns how a bar gets other dates or another article, by dragging or by keys: tried as it goes, done on the drop.
import {useRef, useState} from "./base.js";
import {Problem, get, patch, post} from "./api.js";
import {zoneOf} from "./store.js";
import {ROW} from "./timelineview.js";
import {tell} from "./ui.js";
import {DAY, addDays, clock, fmtInstant, fmtRange, iso} from "./time.js";

const PAUSE = 90; // between two tries

/** Tries or makes a move. A unit of an order gets another article, or its whole line other dates. */
async function apply(bar, to, dryRun) {
	if (bar.blockerType === "hold") return post(`holds/${bar.ownerId}/move`, {lines: [{unavailabilityId: bar.id, from: iso(to.from), ...(bar.open ? {} : {to: iso(to.to)}), articleId: to.articleId}], dryRun});
	const order = bar.order ||= await get("orders/" + bar.ownerId), item = order.stockItems.find((s) => s.unavailabilityId === bar.id);
	if (!item) throw new Error("The unit is no longer one of this order");
	if (to.articleId) return post(`orders/${bar.ownerId}/stock-items/${item.id}/assign`, {articleId: to.articleId, dryRun});
	const got = await patch(`orders/${bar.ownerId}/line-items/${item.lineItemId}`, {...(bar.state === "due" ? {startDate: iso(to.from)} : {}), ...(bar.open ? {} : {endDate: iso(to.to)}), dryRun});
	return {...got, with: order.stockItems.filter((s) => s.lineItemId === item.lineItemId).length - 1};
}

const why = (e, z) => {
	const l = e instanceof Problem && e.details.lines?.[0];
	if (l?.next?.from) return "Does not fit. It would from " + fmtInstant(l.next.from, z);
	if (l) return "Does not fit: " + l.available + " to be had";
	return e.message;
};

export function useMoving({layout, perMs, snap, z, scroller}) {
	const [m, set] = useState(null); // what is being moved: bar, from, to, row, articleId, verdict
	const now = useRef(null), timer = useRef(0), asked = useRef(0), swallow = useRef(false), down = useRef(null);
	const put = (v) => {now.current = v; set(v);};
	const same = (a) => !a.shift && !a.articleId;

	const ask = () => {
		clearTimeout(timer.current);
		const n = ++asked.current;
		timer.current = setTimeout(async () => {
			const a = now.current;
			if (!a || same(a)) return;
			let verdict;
			try {
				const got = await apply(a.bar, a, true);
				verdict = {ok: true, with: got.with, moves: got.moved};
			} catch (e) {verdict = {ok: false, text: why(e, z)};}
			if (n === asked.current && now.current) put({...now.current, verdict});
		}, PAUSE);
	};
	const begin = (id) => {
		const found = layout.find(id);
		if (!found || found.bar.blockerType === "scheduled-event" || !Number.isFinite(found.bar.bodyFrom)) return;
		const {bar, row} = found;
		if (bar.state === "back" || (bar.blockerType === "hold" && bar.bodyTo < clock())) return tell("It is over: there is nothing to move.");
		put({bar, home: row, shift: 0, from: bar.bodyFrom, to: bar.bodyTo, line: layout.lineOf(row.id), articleId: undefined, verdict: null});
		scroller.current?.querySelector(`[data-bar="${id}"]`)?.focus({preventScroll: true});
	};
	// What is out stays where it began: its end moves, by so many steps. A step of a day keeps the wall clock.
	const to = (shift, line) => {
		const a = now.current, {bar} = a, r = layout.at(Math.max(0, Math.min(layout.length - 1, line)))?.row, articleId = r && r.id !== a.home.id ? r.id : undefined;
		if (articleId && bar.blockerType === "order") shift = 0;
		if (shift === a.shift && articleId === a.articleId) return;
		const due = bar.state === "due", on = (t) => (!shift || t === Infinity ? t : snap < DAY ? t + shift * snap : addDays(t, shift, zoneOf(bar.serviceLocationId || a.home.serviceLocationId)));
		put({...a, shift, from: due ? on(bar.bodyFrom) : bar.bodyFrom, to: due ? on(bar.bodyTo) : Math.max(on(bar.bodyTo), bar.bodyFrom + snap), line, articleId, onto: articleId ? r : a.home, verdict: null});
		ask();
	};
	const giveUp = () => {clearTimeout(timer.current); asked.current++; put(null);};
	const drop = async () => {
		const a = now.current;
		giveUp();
		if (!a || same(a)) return;
		const is = layout.find(a.bar.id);
		if (is && (is.row.id !== a.home.id || ["bodyFrom", "bodyTo", "state"].some((k) => is.bar[k] !== a.bar[k]))) {
			tell(new Error("Somebody has changed it meanwhile, so it was not moved. Move it from here."));
			return begin(a.bar.id);
		}
		try {
			await apply(is?.bar || a.bar, a, false);
			tell("Moved to " + fmtRange(a.from, a.bar.open ? null : a.to, z) + (a.articleId ? " on " + a.onto.name : ""));
		} catch (e) {tell(e);}
	};
	const lineAt = (e) => Math.floor((e.clientY - scroller.current.querySelector(".tl-body").getBoundingClientRect().top) / ROW);

	const handlers = {
		onPointerDown(e) {
			const id = e.target.closest?.("[data-bar]")?.dataset.bar;
			if (id && e.button === 0 && e.pointerType !== "touch") down.current = {id, x: e.clientX, y: e.clientY, scroll: scroller.current.scrollLeft, pointer: e.pointerId};
		},
		onPointerMove(e) {
			const d = down.current;
			if (!d) return;
			if (!now.current) {
				if (Math.hypot(e.clientX - d.x, e.clientY - d.y) < 5) return;
				begin(d.id);
				if (!now.current) {down.current = null; return;}
				scroller.current.setPointerCapture(d.pointer);
			}
			to(Math.round((e.clientX - d.x + scroller.current.scrollLeft - d.scroll) / perMs / snap), lineAt(e));
		},
		onPointerUp(e) {
			const moving = down.current && now.current;
			down.current = null;
			if (moving) {swallow.current = true; setTimeout(() => {swallow.current = false;}, 50); document.elementFromPoint(e.clientX, e.clientY)?.closest(".tl-body") ? drop() : giveUp();}
		},
		onPointerCancel() {down.current = null; if (now.current) giveUp();},
		onKeyDown(e) {
			const bar = e.target.closest?.("[data-bar]"), a = now.current, by = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
			if (a && by) to(a.shift + by[0], a.line + by[1]);
			else if (a && e.key === "Enter") drop();
			else if (a && e.key === "Escape") {down.current = null; giveUp();}
			else if (a || !bar) return;
			else if (by) nearest(scroller.current, bar, by)?.focus();
			else if (e.key === "m" || e.key === "M") begin(bar.dataset.bar);
			else return;
			e.preventDefault();
			e.stopPropagation();
		},
	};
	let says = "";
	if (m) {
		const where = fmtRange(m.from, m.bar.open ? null : m.to, z) + (m.articleId ? " on " + m.onto.name : "");
		says = same(m) ? "Arrows move it, Enter drops it, Esc gives up." : !m.verdict ? where + " …" : m.verdict.ok ? `${where} fits${m.verdict.with ? ", with all of its line" : ""}. ${m.verdict.moves.length ? m.verdict.moves.length + " other" + (m.verdict.moves.length > 1 ? "s" : "") + " would move" : "Nothing else moves"}. Drop, or Esc.` : m.verdict.text;
	}
	const others = (m?.verdict?.moves || []).map((v) => {
		const found = layout.find(v.id), row = layout.lineOf(v.articleId);
		return found && row >= 0 ? {id: v.id, from: found.bar.bodyFrom, to: found.bar.bodyTo, row, text: "↷ " + (found.bar.label || "moves here")} : null;
	}).filter(Boolean);
	return {
		active: m?.bar.id, handlers, says, begin, others, swallow: () => swallow.current, target: m?.articleId,
		ghost: m && !same(m) ? {from: m.from, to: Math.min(m.to, m.from + 3.2e10), row: Math.max(0, Math.min(layout.length - 1, m.line)), no: m.verdict && !m.verdict.ok, text: m.bar.label || ""} : null,
	};
}

/** The bar that an arrow leads to: the next of its row, or the nearest of another. */
function nearest(box, from, [right, below]) {
	const row = (b) => Number(b.closest(".tl-row").dataset.row), far = (b) => [b.offsetLeft - from.offsetLeft, row(b) - row(from)];
	const way = (b) => {const [x, y] = far(b); return Math.abs(y) * 1e6 + Math.abs(x);};
	return [...box.querySelectorAll("[data-bar]")].filter((b) => {const [x, y] = far(b); return below ? y * below > 0 : y === 0 && x * right > 0;}).sort((p, q) => way(p) - way(q))[0];
}
