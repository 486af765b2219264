// This file owns orders: the list with its filters, and one order with what its state allows.
import {html} from "./base.js";
import {all, get, may, post, useData, useGet} from "./api.js";
import {go, href, setQ} from "./route.js";
import {minor, money, zone, zoneOf} from "./store.js";
import {dim, tell} from "./ui.js";
import {DAY, addDays, between, fmtAgo, fmtExact, fmtInstant, fmtRange} from "./time.js";

const kinds = {draft: "", open: "blue", active: "warn", closed: "good"};
const any = ["", "All"];
/** Filters by their names in the interface. @type {[string, string, string[][]][]} */
const filters = [
	["status", "Status", [any, ["draft", "Draft"], ["open", "Open"], ["active", "Out"], ["closed", "Closed"]]], ["fulfillmentState", "Units", [any, ["pending", "Pending"], ["prepared", "Ready"], ["fulfilled", "Out"], ["returned", "Back"]]],
	["late", "Late", [any, ["pickup", "To fetch"], ["return", "To return"]]], ["hasConflicts", "Conflicts", [any, ["true", "With"], ["false", "Without"]]],
	["channel", "From", [any, ["admin", "Here"], ["online", "The shop"], ["api", "The API"]]], ["archive", "Archived", [["", "No"], ["archived", "Only"], ["all", "Too"]]],
	["sort", "Sorted by", [["", "Made"], ["earliestStartDate", "Begin"], ["latestEndDate", "End"], ["total", "Total"], ["updatedAt", "Changed"]]], ["direction", "Order", [["", "Last first"], ["asc", "First first"]]],
];
const fulfilment = {pending: "", prepared: "blue", fulfilled: "warn", returned: "good", cancelled: "bad"};

/** How many of a line were not left unfetched. */
const count = ({pricing: p}) => (p ? p.quantity - p.cancelledQuantity : 1);

export function Orders({q}) {
	const page = +q.page || 1;
	const range = q.from ? between(+q.from, addDays(+q.from, +q.days || 1, zone.value)) : undefined;
	const of = useGet("orders", {...Object.fromEntries(filters.map(([k]) => [k, q[k]])), direction: q.direction || "desc", ...(/^#?\d+$/.test(q.search) ? {number: q.search.replace("#", "")} : {search: q.search, number: q.number}), customerId: q.customer, pickupLocationId: q.at, dateRange: range, page, pageSize: 50});
	const set = (p) => setQ({...p, page: null});
	return html`<div class="tools"><Field label="Search"><Search value=${q.search} label="Name or number" onChange=${(search) => set({search})}/><//>
			<Field label="Over the day"><When day none value=${q.from && +q.from} onChange=${(from) => set({from})}/><//>
			${filters.map(([k, label, options]) => html`<Field label=${label}><Select value=${q[k] || ""} onChange=${(v) => set({[k]: v})} options=${options}/><//>`)}<//>
		<List of=${of} name="id" heads=${["#No.", "Status", "For", "Period", "What", "Place", "#Total"]} row=${(o) => [o.id, "#" + o.number,
			html`<Badge kind=${kinds[o.status]}>${o.status}<//>${o.stockItems.some((s) => s.hasConflicts) && html` <Badge kind="bad">conflict<//>`}`, o.mainContact?.fullName || dim("nobody named"),
			o.earliestStartDate && fmtRange(o.earliestStartDate, o.latestEndDate, zoneOf(o.pickupLocation?.id)), o.lineItems.slice(0, 3).map((l) => `${count(l)} × ${l.name?.def || ""}`).join(", ") + (o.lineItems.length > 3 ? " …" : ""), o.pickupLocation?.name, money(o.pricing.total, o.pricing.currency)]}
			none=${html`<Empty title="No order passes" icon="orders"><p>Change the filters, or <a href=${href("lookup", {at: q.at})}>make one</a>.</p><//>`}/>
		${q.id && html`<${Order} key=${q.id} id=${q.id}/>`}`;
}

function Send({label, button, send, ...rest}) {
	return html`<Form class="row" send=${async ({text}, form) => {await send(text); form.reset();}}><input name="text" required autocomplete="off" aria-label=${label} ...${rest}/><button class="btn small">${button}<//><//>`;
}

const words = (m) => m.replace(/[A-Z]/g, (c) => " " + c.toLowerCase());

function life(o) {
	const units = o.stockItems, some = (s) => units.some((u) => u.fulfillmentState === s), closed = o.status === "closed";
	const steps = [["Draft", true], ["Open", o.status !== "draft"], ["Ready", ["prepared", "fulfilled", "returned"].some(some)], ["Out", ["fulfilled", "returned"].some(some)], ["Back", units.length > 0 && units.every((u) => ["returned", "cancelled"].includes(u.fulfillmentState) || u.purchaseType === "sale")], ["Closed", closed]];
	const now = steps.findLastIndex((s) => s[1]);
	return steps.map(([text, done], i) => [text, i === now ? "now" : done && i < now ? "done" : ""]);
}

function Order({id}) {
	const of = useData(async (o) => {const [order, history, payments] = await Promise.all([get("orders/" + id, {}, o), get(`orders/${id}/history`, {limit: 50}, o), may(all(`orders/${id}/payments`, {}, o), [])]); return {...order, history, payments};}, [id]);
	const o = of.data, p = o?.pricing, z = zoneOf(o?.pickupLocation?.id), cash = (n) => money(n, p.currency), act = (verb, text) => async () => {await post(`orders/${id}/${verb}`); tell(text);};
	const any = (...s) => o.stockItems.some((u) => s.includes(u.fulfillmentState)), live = ["open", "active"].includes(o?.status), step = (may, verb, name, text, kind) => may && html`<Button kind=${kind} onClick=${act(verb, text)}>${name}<//>`;
	const stepsOf = o && html`
		${step(o.status === "draft", "confirm", "Confirm", "The order is open; it has its stock.", "primary")}
		${step(live && any("pending"), "prepare", "Ready", "All lies ready.")}
		${step(live && any("pending", "prepared"), "fulfill", "Hand over", "Handed over.", "primary")}
		${step(o.stockItems.some((u) => u.fulfillmentState === "fulfilled" && u.purchaseType !== "sale"), "return", "Take back", "All is back.", "primary")}
		${["draft", "open"].includes(o.status) && html`<Confirm label="Cancel the order" ask="Its stock is free again." onYes=${act("cancel", "The order is cancelled.")}/>`}
		${o.status === "closed" && (o.archivedAt ? step(true, "unarchive", "Unarchive", "The order is out again.") : step(true, "archive", "Archive", "The order is put away."))}`;
	return html`<Panel title=${o ? "Order #" + o.number : "Order"} actions=${stepsOf}><Read of=${of}>${() => html`
		<ol class="steps" aria-label="Life of the order">${life(o).map(([text, c]) => html`<li class=${c} aria-current=${c === "now" ? "step" : null}>${text}<//>`)}<//>
		<Facts of=${[["For", o.mainContact?.fullName], ["Reach", [o.mainContact?.phone, o.mainContact?.email].filter(Boolean).join(", ")], ["Pick-up", o.pickupLocation?.name], ["Return", o.returnLocation?.id !== o.pickupLocation?.id ? o.returnLocation?.name : null], ["Reference", o.reference], ["Note", o.note], ["Changed", fmtAgo(o.updatedAt) + (o.updatedBy ? " by " + o.updatedBy : "")]]}/>
		<div><h3>Lines<//>${o.lineItems.map((l) => html`<div key=${l.id} class="offer"><div><b>${count(l)} × ${l.name?.def}</b><div class="dim">${l.purchaseType === "sale" ? "sale" : fmtRange(l.startDate, l.endDate, z)}${l.durationLabel ? " · " + l.durationLabel : ""}<//><//><span>${cash(l.pricing.total)}<//><//>`)}<//>
		<div><h3>Units<//><ul class="plainlist stack">${o.stockItems.map((s) => html`<li key=${s.id} class="row"><Badge kind=${s.hasConflicts ? "bad" : fulfilment[s.fulfillmentState]}>${s.hasConflicts ? "no unit" : s.fulfillmentState}<//> ${s.inventoryArticle ? html`<button class="link" onClick=${() => go("timeline", {article: s.inventoryArticleId, on: Date.parse(s.pickupDate) - DAY, bar: s.unavailabilityId})}>${s.inventoryArticle.name}<//>` : s.name} ${dim(s.code)}<//>`)}<//><//>
		<div><h3>Price<//><Facts of=${[["Subtotal", cash(p.subtotal)], ["Discounts", p.totalDiscounts ? "− " + cash(p.totalDiscounts) + " " + p.discountCodes.map((c) => c.code).join(", ") : null], ["Taxes", p.totalTaxes ? cash(p.totalTaxes) : null], ["Total", html`<b>${cash(p.total)}</b>`], ["Paid", cash(o.capturedTotal - o.refundedTotal)]]}/>
			${o.payments.length > 0 && html`<ul class="plainlist">${o.payments.map((x) => html`<li>${x.kind.replaceAll("_", " ")} ${cash(x.amount)} ${dim(fmtInstant(x.at, z) + " " + (x.method || ""))}<//>`)}<//>`}
			${o.status !== "draft" && html`<${Send} label="Amount paid" button="Record a payment" type="number" min="0" step="any" send=${async (v) => {await post(`orders/${id}/payments`, {kind: "capture", amount: minor(v, p.currency)}); tell("The payment is recorded.");}}/>`}<//>
		<div><h3>Comments<//>${o.comments.map((c) => html`<p key=${c.id}>${c.content} ${dim(fmtAgo(c.createdAt))}</p>`)}
			<${Send} label="A comment" button="Add" placeholder="Write a comment" send=${(content) => post(`orders/${id}/comments`, {content})}/><//>
		<div><h3>History<//><ul class="plainlist">${o.history.changes.map((c) => html`<li key=${c.revision}>${c.changed.map((m) => (m === "status" ? c.status : words(m))).join(", ") || c.change} by ${c.actor} ${dim(fmtExact(c.at, z))}
			${c.moved.map((m) => html`<div>${m.fromArticleName} → ${m.toArticleName}<//>`)}<//>`)}<//>${!(o.history.whole && !o.history.next) && html`<p class="dim">Older changes are not shown.</p>`}<//>`}<//><//>`;
}
