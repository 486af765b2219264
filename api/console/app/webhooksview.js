// This file owns webhooks: which there are, what was sent, and sending it once more.
import {html, useState} from "./base.js";
import {del, post, useGet} from "./api.js";
import {setQ} from "./route.js";
import {zone} from "./store.js";
import {dim, tell} from "./ui.js";
import {fmtAgo, fmtExact} from "./time.js";

const states = {pending: "blue", delivered: "good", failed: "bad"};

export function Webhooks({q}) {
	const of = useGet("webhooks", {pageSize: 100}), [secret, setSecret] = useState(null), [adding, setAdding] = useState(false);
	const hook = of.data?.data.find((h) => h.id === q.id);
	return html`<div class="tools"><p class="dim grow">Who is told of what, and what came of it.</p><Button kind="primary" icon="plus" onClick=${() => setAdding(!adding)}>New webhook<//><//>
		${adding && html`<${NewHook} done=${(h) => {setSecret(h); setAdding(false); setQ({id: h.id});}}/>`}
		${secret && html`<Once of=${"The secret of " + (secret.label || secret.url)} secret=${secret.secret} done=${() => setSecret(null)}/>`}
		<Read of=${of}>${(d) => (d.data.length ? html`<Table name="id" heads=${["Label", "Event", "Address", "State"]} rows=${d.data.map((h) => [h.id, h.label || "without a label", html`<code>${h.eventTypes.join(", ")}<//>`, h.url, html`<Badge kind=${h.enabled ? "good" : "bad"}>${h.enabled ? "enabled" : "disabled"}<//> ${dim(h.disabledReason)}${h.missedEvents > 0 && dim(` missed ${h.missedEvents.toLocaleString()} events since ${fmtAgo(h.missedSince)}`)}`])}/>`
			: html`<Empty title="Nobody is told yet" icon="webhooks"><p>A webhook tells another system as soon as something happens.</p><//>`)}<//>
		${hook && html`<${Deliveries} key=${hook.id} q=${q} h=${hook} told=${setSecret}/>`}`;
}

function NewHook({done}) {
	return html`<Form class="box tools" send=${async (of) => done(await post("webhooks", of))}><Field label="Label"><input name="label"/><//>
		<Field label="Event"><select name="eventType">${"order.created order.updated order.deleted conflict.created conflict.resolved hold.expired unit.overdue webhook.disabled".split(" ").map((x) => html`<option>${x}<//>`)}<//><//><Field label="Address"><input name="url" type="url" required size="40" placeholder="https://"/><//><button class="btn primary">Make it<//><//>`;
}

async function again(hook, delivery, of) {
	await post(`webhooks/${hook}/deliveries/${delivery}/redeliver`);
	tell("It is sent once more, with the same bytes.");
	of.again();
}

function Deliveries({q, h, told}) {
	const page = +q.page || 1, of = useGet(`webhooks/${h.id}/deliveries`, {state: q.state, page, pageSize: 50});
	const act = (verb, text) => async () => {const r = await post(`webhooks/${h.id}/${verb}`); tell(text); if (r?.secret) told(r); of.again();};
	return html`<div class="box stack"><div class="row"><h2>Deliveries of ${h.label || h.url}<//><span class="grow"><//><Select value=${q.state || ""} aria-label="State" onChange=${(state) => setQ({state, page: null})} options=${[["", "All"], ["pending", "Pending"], ["delivered", "Delivered"], ["failed", "Failed"]]}/>
			<Button onClick=${act("test", "A test is on its way.")}>Send a test<//>${h.enabled ? html`<Button onClick=${act("disable", "It is told of nothing now.")}>Disable<//>` : html`<Button onClick=${act("enable", "It is told of what comes.")}>Enable<//>`}<Button onClick=${act("rotate-secret", "It has a new secret.")}>New secret<//>
			<Confirm label="Remove" ask="Its log goes, too." onYes=${async () => {await del("webhooks/" + h.id); setQ({id: null}); tell("Removed.");}}/><//>
		<List of=${of} name="delivery" heads=${["When", "Event", "State", "#Attempts", "#Answer", "#Bytes", ""]} row=${(x) => [x.id, fmtAgo(x.createdAt), html`<code>${x.eventType}<//>${x.test && html` <Badge>test<//>`}`, html`<Badge kind=${states[x.state]}>${x.state}<//>`, x.attemptCount, x.lastStatus ?? "none", x.size.toLocaleString(),
				html`<Button kind="small" onClick=${(e) => {e.stopPropagation(); return again(h.id, x.id, of);}}>Send again<//>`]} none=${html`<p class="dim">Nothing was sent${q.state ? " that is " + q.state : " yet"}.</p>`}/>
		${q.delivery && html`<${Delivery} key=${q.delivery} hook=${h.id} id=${q.delivery}/>`}<//>`;
}

function Delivery({hook, id}) {
	const z = zone.value, of = useGet(`webhooks/${hook}/deliveries/${id}`);
	const pretty = (s) => {try {return JSON.stringify(JSON.parse(s), null, 2);} catch {return s;}};
	return html`<Panel title="Delivery" name="delivery" actions=${html`<Button kind="primary" onClick=${() => again(hook, id, of)}>Send again<//>`}><Read of=${of}>${(d) => html`
		<Facts of=${[["State", html`<Badge kind=${states[d.state]}>${d.state}<//>`], ["Event", html`<code>${d.eventType}<//>`], ["Event id", html`<code>${d.eventId}<//>`], ["Made", fmtExact(d.createdAt, z)], ["Next attempt", d.nextAttemptAt && fmtExact(d.nextAttemptAt, z)], ["Ended", d.endedAt && fmtExact(d.endedAt, z)]]}/>
		<h3>Attempts<//>${d.attempts.length ? d.attempts.map((a) => html`<div class="box"><p><b>${a.number}.</b> ${fmtExact(a.at, z)} · ${a.durationMs} ms · <Badge kind=${a.status >= 200 && a.status < 300 ? "good" : "bad"}>${a.status ?? "no answer"}<//></p>${a.error && html`<p class="dim">${a.error}</p>`}${a.answer && html`<pre>${a.answer}<//>`}<//>`) : html`<p class="dim">None yet.</p>`}
		<h3>The bytes that are sent<//><pre>${pretty(d.body)}<//>`}<//><//>`;
}
