// This file owns what is told of one bar, and what can be done to it.
import {html} from "./base.js";
import {del, get, post, useData} from "./api.js";
import {href, route, setQ} from "./route.js";
import {placeName} from "./store.js";
import {kindOf, tell} from "./ui.js";
import {fmtInstant, fmtLength} from "./time.js";

const states = {due: "to be handed over", out: "out", back: "back, its buffer is left"};

export function BarPanel({bar, row, z, onMove}) {
	const hold = useData((o) => (bar.blockerType === "hold" ? get("holds/" + bar.ownerId, {}, o) : Promise.resolve(null)), [bar.ownerId]);
	const h = hold.data, n = h?.lines.reduce((n, l) => n + l.quantity, 0), title = kindOf(bar) + (bar.orderNumber ? " #" + bar.orderNumber : "");
	return html`<Panel title=${title} name="bar" actions=${html`
			${bar.blockerType === "order" && html`<a class="btn primary" href=${href("orders", {at: route.value.q.at, id: bar.ownerId})}>Open the order</a>`}
			${bar.blockerType !== "scheduled-event" && bar.state !== "back" && html`<Button onClick=${onMove}>Move<//>`}
			${h?.status === "held" && html`<Button onClick=${async () => {await post(`holds/${h.id}/confirm`); tell("The hold is firm now.");}}>Make it firm<//>`}
			${h && ["held", "confirmed"].includes(h.status) && html`<Confirm label="Release" ask=${n > 1 ? `Give back all ${n} units of the hold?` : "Give its stock back?"} onYes=${async () => {await del("holds/" + h.id); tell("The stock is free again."); setQ({bar: null});}}/>`}`}>
		<p>${bar.label && html`<strong>${bar.label}<//> `}${row.bars.includes(bar) ? html`<Badge kind=${bar.late ? "bad" : bar.state === "out" ? "blue" : "good"}>${bar.late ? "late" : states[bar.state]}<//>` : html`<Badge kind="bad">has no unit<//>`}
			${bar.pinned && bar.state === "due" && html` <Badge title="It was asked for by name, or fixed here: nothing moves it.">pinned<//>`}</p>
		${bar.moved && html`<p class="notice warn">The engine has moved it here from <b>${bar.moved}</b>, to make room.</p>`}
		<Facts of=${[["Article", row.name], ["SKU", row.sku?.name], ["Place", placeName(bar.serviceLocationId || row.serviceLocationId)], ["From", fmtInstant(bar.bodyFrom, z)], ["To", fmtInstant(bar.open ? null : bar.bodyTo, z)],
			["Length", bar.open ? null : fmtLength(bar.bodyTo - bar.bodyFrom)], ["Buffers", [bar.bodyFrom - bar.from, bar.to - bar.bodyTo].map((n, i) => n > 0 && fmtLength(n) + [" before", " after"][i]).filter(Boolean).join(", ")],
			["Expires", h?.expiresAt && fmtInstant(h.expiresAt, z)]]}/><//>`;
}
