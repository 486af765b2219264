// This file owns the look-up: what is free in a period at a place, and a cart that becomes a hold, an order or a link.
import {html, useEffect, useRef, useState} from "./base.js";
import {get, post, useData} from "./api.js";
import {go, setQ} from "./route.js";
import {findSKUs, place, placeName, places, skuName, skus, zone} from "./store.js";
import {more, tell} from "./ui.js";
import {DAY, HOUR, addDays, between, clock, dayStart, fmtInstant, fmtLength, fmtRange, iso, weekday, ms} from "./time.js";

const PAGE = 250; // SKUs

function weekend(z) {
	let d = addDays(dayStart(clock(), z), 1, z);
	while (weekday(d, z) !== 5) d = addDays(d, 1, z);
	return [addDays(d, 9 / 24, z), addDays(d, 2 + 18 / 24, z)];
}

/** A cart in the address: ids with how many. */
const readCart = (s) => (s || "").split(",").filter(Boolean).map((x) => {const [id, n] = x.split("*"); return [id, /^[1-9]\d{0,3}$/.test(n) ? +n : 1];});
const writeCart = (c) => c.map(([id, n]) => id + "*" + n).join(",");

export function LookUp({q}) {
	const at = place.value || places.value[0], z = at?.timezone || zone.value, soon = weekend(z);
	const from = +q.from || soon[0], to = +q.to || (q.from ? from + DAY : soon[1]), length = Math.max(HOUR, to - from), cart = readCart(q.cart);
	const text = (q.search || "").toLowerCase(), found = skus.value.filter((s) => (s.name + " " + (s.code || "")).toLowerCase().includes(text));
	useData((o) => findSKUs(text, o), [text]);
	const pages = Math.ceil(found.length / PAGE), page = Math.min(+q.page || 1, pages), list = found.slice((page - 1) * PAGE, page * PAGE);
	const of = useData((o) => (list.length ? post("availability/query", {lines: list.map((s) => ({skuId: s.id, serviceLocationId: at.id, ...between(from, to)}))}, {...o, idem: ""}) : Promise.resolve({lines: []})), [at?.id, from, to, list.map((s) => s.id).join()]);
	if (!at) return html`<Empty title="No place to look at"/>`;
	const add = (id, n = 1) => {
		const had = cart.find((c) => c[0] === id);
		setQ({at: at.id, from, to, cart: writeCart(had ? cart.map((c) => (c[0] === id ? [id, c[1] + n] : c)).filter((c) => c[1] > 0) : [...cart, [id, n]])});
	};
	return html`<div class="tools"><Field label="Place"><PlaceSelect value=${at.id} none="" onChange=${(v) => setQ({at: v}, true)}/><//>
			<Field label="From"><When value=${from} z=${z} onChange=${(t) => setQ({from: t, to: t < to ? to : t + length})}/><//>
			<Field label="To"><When value=${to} z=${z} onChange=${(t) => setQ({from: t > from ? from : t - length, to: t})}/><//><Field label="What"><Search value=${q.search} onChange=${(search) => setQ({search, page: null})}/><//>
			<span class="dim">${fmtLength(to - from)} · times of ${at.name}<//><//>
		<div class="cols"><div class="scroll" aria-busy=${of.loading ? "true" : null}><Read of=${of}>${() => (list.length ? list.map((s, i) => html`<${Offer} key=${s.id} s=${s} a=${!of.loading && of.data.lines[i]} at=${at} from=${from} to=${to} z=${z} inCart=${cart.find((c) => c[0] === s.id)?.[1] || 0} add=${add}/>`) : html`<Empty title=${text ? "Nothing is called so" : "No SKUs to show"}/>`)}<//><Pages of=${{page, totalPages: pages, total: found.length}}/>${skus.value.left > 0 && html`<p class="dim">${skus.value.left} more are found by name.</p>`}<//>
			<${Cart} cart=${cart} at=${at} from=${from} to=${to} z=${z} add=${add}/><//>`;
}

function Offer({s, a, at, from, to, z, inCart, add}) {
	const [open, set] = useState(false), none = a.withMoves <= inCart;
	if (!a) return html`<div class="offer"><h2>${s.name}<//><//>`; // not asked for these times yet
	return html`<div class="offer"><div><h2>${s.name} <small>${s.code || ""}<//><//><div class="meter" aria-hidden="true"><i class=${a.available <= 0 ? "no" : ""} style=${{width: a.stock ? Math.max(3, 100 * Math.max(0, a.available) / a.stock) + "%" : "3%"}}></i><//>
			<button class="link" aria-expanded=${open} onClick=${() => set(!open)}>${open ? "Less" : a.available > 0 ? "Which ones?" : "Why, and when?"}<//><//>
		<div class="right"><span class=${"free" + (a.available > 0 ? "" : " no")}>${a.available}<//><div class="dim">of ${a.stock} free${a.exact ? "" : ", at least"}<//><//>
		<Button icon="plus" kind=${none ? "" : "primary"} label=${"Add " + s.name} onClick=${() => {if (none) tell("That is one more than there is. The refusal will say why, and when it fits."); add(s.id);}}>Add<//>
		${open && html`<div class="why"><${Why} s=${s} a=${a} at=${at} from=${from} to=${to} z=${z}/><//>`}<//>`;
}

function Why({s, a, at, from, to, z}) {
	const ask = {skuId: s.id, serviceLocationId: at.id}, range = between(from, to), none = a.available < 1;
	const of = useData(async (o) => {
		const say = (what, more) => (none ? post("availability/" + what, {...ask, ...more}, {...o, idem: ""}) : null), [articles, why, next] = await Promise.all([
			get("articles", {...ask, dateRange: range, fields: "id,name,codes,availability", pageSize: 60, sort: "availability", direction: "desc"}, o),
			say("explain", {...range, quantity: 1}), say("next", {notBefore: range.from, seconds: Math.round((to - from) / 1000)}),
		]);
		return {articles: articles.articles, total: articles.totalCount, why, next};
	}, [s.id, at.id, from, to, none]);
	return html`<Read of=${of} rows=${2}>${(d) => html`<div class="stack">${d.why && html`<p>${d.why.blockingTotal < d.why.stock ? "At each instant one is free, but none for the whole time." : html`At <b>${fmtInstant(d.why.at, z)}</b> ${d.why.stock ? `all ${d.why.stock} are taken` : "none is there"}.`} ${d.next?.from ? html`It fits next from <b>${fmtInstant(d.next.from, z)}</b>. ` : "It does not fit within two years. "}
				${d.next?.from && html`<Button kind="small" onClick=${() => setQ({from: ms(d.next.from), to: ms(d.next.to)})}>Take that period<//>`}</p>
				<div class="row">${d.why.alternatives.map((x) => html`<Button kind="small" onClick=${() => setQ({from: ms(x.from), to: x.to && ms(x.to), at: x.serviceLocationId || at.id})}>${x.kind}: ${x.kind === "location" ? placeName(x.serviceLocationId) : fmtRange(x.from, x.to, z)}<//>`)}<//><Blockers list=${d.why.blockingUnavailabilities} total=${d.why.blockingTotal}/>`}
			<div class="row">${d.articles.map((r) => html`<button key=${r.id} class="link" onClick=${() => go("timeline", {at: at.id, article: r.id, on: from - DAY})}>${r.name}<//> <Badge kind=${r.availability.total > 0 ? "good" : "bad"}>${r.availability.total > 0 ? (r.availability.total > 1 ? r.availability.total + " free" : "free") : "taken"}<//>`)}<//>
			${more(d.total - d.articles.length)}<//>`}<//>`;
}

function Cart({cart, at, from, to, z, add}) {
	const [who, setWho] = useState(""), [refused, setRefused] = useState(null), [busy, setBusy] = useState(false), left = useRef(false);
	useEffect(() => () => {left.current = true;}, []);
	const done = (text, view, q) => {
		tell(text);
		if (left.current) return;
		setQ({cart: null});
		go(view, q);
	};
	const tryIt = async (act) => {
		setRefused(null);
		setBusy(true);
		try {await act();} catch (e) {left.current ? tell(e) : setRefused(e);} finally {setBusy(false);}
	};
	const hold = (expiresInSeconds) => tryIt(async () => {
		const h = await post("holds", {lines: cart.map(([skuId, quantity]) => ({skuId, serviceLocationId: at.id, quantity, ...between(from, to)})), expiresInSeconds, note: who || undefined});
		done(expiresInSeconds ? "Held for half an hour." : "Booked.", "timeline", {at: at.id, on: dayStart(from, z) - DAY, sku: cart.length === 1 ? cart[0][0] : undefined, bar: h.lines[0].unavailabilities[0]?.id});
	});
	const order = () => tryIt(async () => {
		const o = await post("orders", {status: "open", channel: "admin", pickupLocationId: at.id, mainContact: who ? {fullName: who} : undefined,
			lineItems: cart.map(([skuId, quantity]) => ({skuId, quantity, purchaseType: "booking", startDate: iso(from), endDate: iso(to)}))});
		done("Order #" + o.number + " is open.", "orders", {id: o.id});
	});
	const share = async () => {
		try {await navigator.clipboard.writeText(location.href); tell("The link is copied: whoever opens it with a key sees this cart.");} catch {tell(location.href);}
	};
	return html`<aside class="box cart" aria-label="Cart"><h2>Cart<//>${cart.length ? html`<p>${fmtRange(from, to, z)}<br/><span class="dim">${at.name}<//></p>
			<ul class="plainlist">${cart.map(([id, n]) => html`<li key=${id}><span>${skuName(id)}<//><span class="row"><Button kind="small" label=${"One less of " + skuName(id)} onClick=${() => add(id, -1)}>−<//><b>${n}</b><Button kind="small" label=${"One more of " + skuName(id)} onClick=${() => add(id, 1)}>+<//><//><//>`)}<//>
			<div class="stack"><Field label="For whom" wide><input autocomplete="off" value=${who} onInput=${(e) => setWho(e.target.value)}/><//>
			<div class="row"><Button kind="primary" disabled=${busy} onClick=${order}>Order<//><Button disabled=${busy} onClick=${() => hold(1800)}>Hold 30 min<//><Button disabled=${busy} onClick=${() => hold()}>Book firmly<//><Button onClick=${share}>Link<//><//>
			${refused && html`<Failed error=${refused} z=${z} names=${cart.map(([id]) => skuName(id))}/>`}<//>` : html`<p class="dim">Add what is wanted. A cart can be held, ordered, or sent as a link.</p>`}<//>`;
}
