// This file owns the day at the counter: what goes out, comes back, is late, was not fetched, or is to be prepared; and codes.
import {html} from "./base.js";
import {all, fresh, get, may, post, useData} from "./api.js";
import {href, setQ} from "./route.js";
import {place, zone} from "./store.js";
import {dim, more, tell} from "./ui.js";
import {DAY, addDays, between, clock, dayStart, fmtDay, fmtInstant, fmtTime, ms} from "./time.js";

const SHOWN = 200; // rows of a list

/** Stock items by what the day asks of them. */
function sorted(orders, day, next, now) {
	const lists = {late: [], missed: [], out: [], back: [], prepare: []}, past = Math.min(day, now);
	for (const o of orders) for (const s of o.stockItems) {
		const item = {...s, order: o, from: ms(s.pickupDate), to: s.returnDate ? ms(s.returnDate) : Infinity};
		const is = s.fulfillmentState, waits = ["pending", "prepared"].includes(is);
		if (waits && item.from < past) lists.missed.push(item);
		if (waits && item.from >= day && item.from < next) lists.out.push(item);
		if (is === "pending" && item.from >= day && item.from < next + DAY) lists.prepare.push(item);
		if (is === "fulfilled" && s.purchaseType !== "sale") {if (item.to < now) lists.late.push(item); else if (item.to >= day && item.to < next) lists.back.push(item);}
	}
	for (const l of Object.values(lists)) l.sort((a, b) => a.from - b.from);
	return lists;
}

const names = {out: ["Goes out", "Nothing goes out"], back: ["Comes back", "Nothing comes back"], late: ["Late", "Nothing is late"], missed: ["Not fetched", "All was fetched"], prepare: ["To prepare", "All is prepared"]};

export function Today({q}) {
	const z = zone.value, coming = ["back", "late"].includes(q.tab), day = dayStart(+q.on || clock(), z), next = addDays(day, 1, z), tab = names[q.tab] ? q.tab : "out";
	const of = fresh(useData(async (o) => {
		const now = clock(), from = Math.min(day, now), orders = (which) => all("orders", {status: ["open", "active"], pickupLocationId: q.at, direction: "asc", sort: "earliestStartDate", ...which}, {...o, pages: 4});
		const [late, out, back, conflicts] = await Promise.all([
			orders({late: ["pickup", "return"]}), orders({pickupDue: between(from, next + DAY)}), orders({returnDue: between(from, next)}),
			may(get("conflicts", {dateRange: between(day, next), serviceLocationId: q.at, pageSize: 1}, o)),
		]);
		// Of an order with many units a list has the first.
		const each = [...new Map([...late, ...out, ...back].map((x) => [x.id, x])).values()];
		await Promise.all(each.map(async (x) => {if (x.stockItemsTotal > x.stockItems.length) x.stockItems = await may(all(`orders/${x.id}/stock-items`, {}, o), x.stockItems);}));
		return {...sorted(each, day, next, now), left: late.left + out.left + back.left, conflicts: conflicts?.pagination.total};
	}, [day, q.at]));
	const at = (t) => (t >= day && t < next ? fmtTime : fmtInstant)(t, z);
	const act = async (verb, item) => {
		await post(`orders/${item.order.id}/${verb}`, {stockItemIds: [item.id]});
		tell({fulfill: "Handed over: ", return: "Back: ", prepare: "Ready: "}[verb] + item.name);
	};
	return html`<div class="tools"><Steps names=${["The day before", "The next day"]} step=${(by) => setQ({on: addDays(day, by, z)})} now=${() => setQ({on: null})}/>
			<h1>${fmtDay(day, z)}${place.value ? ", " + place.value.name : ""}<//><span class="grow"><//><${Scan} lists=${of.data} act=${act}/><Button onClick=${() => print()}>Pick list<//><//>
		<Read of=${of}>${(d) => html`${d.conflicts > 0 && html`<p class="notice bad">${d.conflicts} booking${d.conflicts > 1 ? "s have" : " has"} no unit that day. <a href=${href("conflicts", {at: q.at})}>See the conflicts</a></p>`}${d.left > 0 && html`<p class="notice warn">${d.left} orders more are not shown. <a href=${href("orders", {at: q.at})}>See all orders</a></p>`}
			<div class="tabs" role="tablist">${Object.entries(names).map(([v, [text]]) => html`<button role="tab" type="button" aria-selected=${v === tab} onClick=${() => setQ({tab: v})}>${text}<span class="n"><Badge kind=${d[v].length && (v === "late" || v === "missed") ? "bad" : ""}>${d[v].length}<//><//><//>`)}<//>
			${d[tab].length ? html`<Table heads=${["When", "What", "Article", "Order", "For", ""]} rows=${d[tab].slice(0, SHOWN).map((s) => [s.id, at(coming ? s.to : s.from), html`<b>${s.name}</b>${s.hasConflicts && html` <Badge kind="bad">no unit<//>`}`, html`${s.inventoryArticle?.name} ${dim([s.code, s.inventoryArticle?.binLocation].filter(Boolean).join(" · "))}`,
					html`<a href=${href("orders", {at: q.at, id: s.order.id})}>#${s.order.number}</a>`, s.order.mainContact?.fullName,
					coming ? html`<Button kind="primary small" onClick=${() => act("return", s)}>Take back<//>` : html`<span class="row">${s.fulfillmentState === "pending" && html`<Button kind="small" onClick=${() => act("prepare", s)}>Ready<//>`}${tab !== "prepare" && html`<Button kind="primary small" onClick=${() => act("fulfill", s)}>Hand over<//>`}<//>`])}/>${more(d[tab].length - SHOWN)}`
				: html`<Empty icon="check" title=${names[tab][1]}/>`}`}<//>`;
}

const TWICE = 4000; // within which a scanner may read a code twice
let last = "", until = 0; // the last code, and until when it is not taken again
/** A code: what waits is handed over, what is out is taken back. */
function Scan({lists, act}) {
	const go = async (e) => {
		e.preventDefault();
		const c = e.target.code.value.trim(), now = performance.now();
		if (!c) return;
		e.target.reset();
		const of = (l) => lists[l].find((s) => s.code === c || (s.inventoryArticle?.codes || []).includes(c));
		try {
			if (!lists) throw new Error("Nothing was done with " + c + ": the day is not read yet. Scan it again.");
			if (c === last && now < until) throw new Error(c + " was scanned a moment ago. Nothing was done this time.");
			const back = of("back") || of("late"), item = back || of("out") || of("missed");
			if (!item) throw new Error(c + (lists.left > 0 ? " is not among what is shown. There is more." : " is neither to be handed over nor to come back on this day."));
			last = c;
			until = now + TWICE;
			await act(back ? "return" : "fulfill", item);
		} catch (x) {tell(x);}
	};
	return html`<form onSubmit=${go} class="row"><Field label="Scan or type a code"><input name="code" autocomplete="off" enterkeyhint="done"/><//><//>`;
}
