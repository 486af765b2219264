// This file owns the plan of a quantity change: what would move, and who stands in the way.
import {html} from "./base.js";
import {all, fresh, get, post, useData, useGet} from "./api.js";
import {go, setQ} from "./route.js";
import {place, places, zone} from "./store.js";
import {dim, kindOf, reason, tell} from "./ui.js";
import {Curve} from "./curve.js";
import {DAY, between, clock, dayStart, fmtInstant, fmtRange, iso} from "./time.js";

export function Plan({q}) {
	const at = place.value || places.value[0], z = at?.timezone || zone.value, amount = +(q.amount ?? 1), from = +q.from || 0;
	const found = fresh(useGet("articles", {search: q.search, serviceLocationId: at?.id, fields: "id,name,codes,sku,quantity", pageSize: 30}));
	const list = found.data?.articles || [], id = q.article || list[0]?.id;
	return html`<p class="dim">See which bookings fewer units would move, and which could not be kept. Then apply exactly that plan.</p>
		<div class="tools"><Field label="Find an article"><Search value=${q.search} onChange=${(search) => setQ({search, article: null})}/><//>
			<Field label="Article"><Select value=${id || ""} onChange=${(article) => setQ({article})} options=${[...(id && !list.some((r) => r.id === id) ? [[id, "The one of the link"]] : []), ...list.map((r) => [r.id, r.name + " (" + r.quantity.total + ")"])]}/><//>
			<Field label="Units fewer"><input type="number" min="1" defaultValue=${amount} onInput=${(e) => setQ({amount: e.target.value || 0})}/><//>
			<Field label="From (empty: now)"><When value=${from} z=${z} onChange=${(t) => setQ({from: t})}/><//>${from > 0 && html`<Button kind="plain" onClick=${() => setQ({from: null})}>Now<//>`}<//>
		<Read of=${found}>${() => (id && at ? html`<${Preview} key=${id + at.id} id=${id} at=${at} amount=${amount} from=${from} z=${z}/>` : html`<Empty title="No article with stock here" icon="plan"/>`)}<//>`;
}

function Preview({id, at, amount, from, z}) {
	const of = fresh(useData(async (o) => {
		const start = dayStart(from || clock(), z), [plan, taken, bars] = await Promise.all([
			get(`articles/${id}/plan-quantity-change`, {serviceLocationId: at.id, amount, effectiveFrom: from ? iso(from) : undefined, pageSize: 100}, o),
			all(`articles/${id}/unavailabilities`, {dateRange: between(start, start + 900 * DAY)}, {...o, pages: 4}),
			get("articles/bars", {ids: [id], serviceLocationId: at.id, archive: "all", dateRange: between(start, start + 90 * DAY)}, o)]);
		return {plan, taken: new Map(taken.map((u) => [u.id, u])), row: bars.data[0] || null, start};
	}, [id, at.id, amount, from]));
	const apply = async (plan, force) => {
		await post(`articles/${id}/decrease-quantity`, {serviceLocationId: at.id, amount, effectiveFrom: from ? iso(from) : undefined, expectedPlan: plan.plan, force});
		tell("Done: that very plan was applied.");
	};
	return html`<Read of=${of}>${({plan, taken, row, start}) => html`<div class="cols"><div class="stack">
			<div class=${"notice " + (plan.ok ? "good" : "bad")} role="status"><strong>${plan.ok ? "All bookings can be kept." : reason(plan)}<//>
				<p>${plan.movesTotal ? plan.movesTotal + (plan.movesTotal === 1 ? " booking moves" : " bookings move") : "Nothing has to move"}${plan.minimal ? ", and it is proven that fewer would not do." : plan.lowerBound ? `; no plan has fewer than ${plan.lowerBound}.` : "."}
				${plan.possibleFrom ? html` So many could go from <b>${fmtInstant(plan.possibleFrom, z)}</b>. <Button kind="small" onClick=${() => setQ({from: Date.parse(plan.possibleFrom)})}>Take that<//>` : ""}</p>
				${plan.blockingTotal > 0 && html`<Blockers list=${plan.blockingUnavailabilities} total=${plan.blockingTotal}/>`}<//>
			${row?.steps.length > 0 && html`<div class="box"><h2>${row.name} at ${at.name}<//><${Curve} row=${row} start=${start} fewer=${amount} from=${from} z=${z}/><//>`}
			${plan.moves.length > 0 && html`<Table heads=${["What moves", "From unit", "To unit"]} rows=${plan.moves.map((m) => [m.unavailabilityId, html`<${Who} id=${m.unavailabilityId} u=${taken.get(m.unavailabilityId)} row=${row} z=${z}/>`, ...[m.fromSlotId, m.toSlotId].map((id) => html`<code>…${id.slice(-6)}<//>`)])}/>`}<//>
		<aside class="box stack"><h2>This plan<//><Facts of=${[["Units fewer", amount], ["From", from ? fmtInstant(from, z) : "now"], ["Digest", html`<code>${plan.plan.slice(0, 16)}…<//>`]]}/>
			<p class="dim">What is applied is this plan and no other: if anything has changed by then, it is refused.</p>
			${plan.ok ? html`<Button kind="primary" onClick=${() => apply(plan)}>Apply this plan<//>` : plan.reason !== "not_enough_stock" && html`<Confirm label="Apply anyway" ask="Bookings become conflicts." onYes=${() => apply(plan, true)}/>`}
			<Button onClick=${() => go("timeline", {at: at.id, article: id, on: from || undefined})}>See it in time<//><//><//>`}<//>`;
}

function Who({id, u, row, z}) {
	const b = row?.bars.find((x) => x.id === id);
	return u ? html`<b>${b?.orderNumber ? "#" + b.orderNumber + " " : ""}${b?.label || kindOf(u)}</b> ${dim(fmtRange(u.range.start, u.range.end, z))}` : html`<code>…${id.slice(-6)}<//>`;
}
