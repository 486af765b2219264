// This file owns conflicts: bookings without a unit, why, and ways out, each tried first.
import {html, useState} from "./base.js";
import {del, get, post, useData} from "./api.js";
import {go, href, setQ} from "./route.js";
import {placeName, zoneOf} from "./store.js";
import {reason, tell} from "./ui.js";
import {DAY, fmtAgo, fmtInstant, fmtRange, iso, ms} from "./time.js";

export function Conflicts({q}) {
	const page = +q.page || 1;
	const of = useData(async (o) => {
		const a = await get("conflicts", {serviceLocationId: q.at, skuId: q.sku, page, pageSize: 50}, o), ids = [...new Set(a.data.map((c) => c.unavailability.articleId).filter(Boolean))].slice(0, 250);
		const articles = ids.length ? (await get("articles", {ids, archive: "all", fields: "id,name,sku", pageSize: 250}, o)).articles : [];
		return {...a, names: Object.fromEntries(articles.map((r) => [r.id, r]))};
	}, [q.at, q.sku, page]), picked = of.data?.data.find((c) => c.unavailability.id === q.id);
	return html`<p class="dim">Bookings that have no unit. As soon as one comes free that would do, it is given to whoever waits longest.</p>
		<List of=${of} name="id" heads=${["What", "By", "When", "Place", "Why", "Since"]} row=${(c, d) => {
			const u = c.unavailability, r = d.names[u.articleId], b = body(u);
			return [u.id, r?.name || r?.sku?.name || "A unit", html`<Badge>${u.blockerType}<//>`, fmtRange(b.start, b.end, zoneOf(u.serviceLocationId)), placeName(u.serviceLocationId), reason(c), fmtAgo(c.since)];
		}} none=${html`<Empty icon="check" title="No conflicts"><p>Every booking has its unit.</p><//>`}/>
		${picked && html`<${WaysOut} key=${q.id} c=${picked} article=${of.data.names[picked.unavailability.articleId]}/>`}`;
}

const body = (u) => u.intervals.find((i) => i.type !== "buffer")?.range || u.range;

function WaysOut({c, article}) {
	const u = c.unavailability, z = zoneOf(u.serviceLocationId), b = body(u), item = article?.sku ? {skuId: article.sku.id} : {articleId: u.articleId};
	const [tried, setTried] = useState(null);
	const of = useData(async (o) => {
		const [why, a] = await Promise.all([
			post("availability/explain", {...item, serviceLocationId: u.serviceLocationId, from: b.start, to: b.end || iso(ms(b.start) + 30 * DAY), quantity: 1}, {...o, idem: ""}),
			article?.sku ? get("articles", {skuId: article.sku.id, serviceLocationId: u.serviceLocationId, dateRange: {from: u.range.start, to: u.range.end || b.end || u.range.start}, fields: "id,name,availability", sort: "availability", direction: "desc", pageSize: 5}, o) : {articles: []}]);
		return {...why, others: a.articles.filter((r) => r.id !== u.articleId && r.availability.total > 0)};
	}, [u.id]);
	const line = (x) => ({unavailabilityId: u.id, from: x.from, to: x.to, articleId: x.articleId});
	const look = async (x) => {
		setTried(null);
		setTried({x, error: await post(`holds/${u.holdId}/move`, {lines: [line(x)], dryRun: true}).then(() => null, (e) => e)});
	};
	const ways = of.data ? [...of.data.others.map((r) => ({text: "Take " + r.name, from: b.start, to: b.end, articleId: r.id})),
		...of.data.alternatives.filter((x) => ["later", "shorter"].includes(x.kind)).map((x) => ({...x, text: (x.kind === "later" ? "Later: " : "Shorter: ") + fmtRange(x.from, x.to, z)}))] : [];
	return html`<Panel title="Ways out" actions=${u.holdId && html`<Confirm label="Release it" ask="The booking is gone then, with all of its units." onYes=${async () => {await del("holds/" + u.holdId); tell("Released."); setQ({id: null});}}/>`}>
		<p class="notice bad">${reason(c)}</p>
		<Facts of=${[["Article", article?.name], ["SKU", article?.sku?.name], ["Place", placeName(u.serviceLocationId)], ["From", fmtInstant(b.start, z)], ["To", fmtInstant(b.end, z)], ["Since", fmtInstant(c.since, z)]]}/>
		<Read of=${of} rows=${3}>${(x) => html`<p>At <b>${fmtInstant(x.at, z)}</b> there ${x.stock === 1 ? "is 1 unit" : "are " + x.stock + " units"}, and ${x.available < 0 ? -x.available + " too many bookings" : x.available + " to be had"}.</p><Blockers list=${x.blockingUnavailabilities} total=${x.blockingTotal}/>`}<//>
		${u.holdId && html`<div class="stack"><h3>What would help<//>${!ways.length && !of.loading && html`<p class="dim">Nothing by itself. More units, or another booking's end, would.</p>`}
			${ways.map((x) => html`<div class="row"><Button onClick=${() => look(x)} aria-pressed=${tried?.x.text === x.text}>${x.text}<//><//>`)}
			${tried && (!tried.error ? html`<div class="notice good" role="status"><p>That fits. ${tried.x.text}.</p><Button kind="primary" onClick=${async () => {await post(`holds/${u.holdId}/move`, {lines: [line(tried.x)]}); tell("The conflict is solved."); setQ({id: null});}}>Do it<//><//>` : html`<div class="notice bad" role="alert">${tried.error.message}<//>`)}<//>`}
		${u.orderId && html`<a class="btn" href=${href("orders", {id: u.orderId})}>Open the order</a>`}
		<div class="row"><Button onClick=${() => go("timeline", {at: u.serviceLocationId, on: ms(b.start) - DAY, sku: article?.sku?.id})}>See it in time<//>${u.articleId && html`<a class="btn" href=${href("plan", {article: u.articleId, at: u.serviceLocationId})}>Change the quantity</a>`}<//><//>`;
}
