// This file owns API keys: who may do what, made and taken back.
import {html, useState} from "./base.js";
import {del, describe, post, useData, useGet} from "./api.js";
import {zone} from "./store.js";
import {tell} from "./ui.js";
import {clock, fmtAgo, fmtExact, fromInput, iso, ms} from "./time.js";

export function Keys({q}) {
	const z = zone.value, of = useGet("api-keys", {page: q.page, pageSize: 250}), [made, setMade] = useState(null), [adding, setAdding] = useState(false);
	return html`<div class="tools"><p class="dim grow">A key is shown once. Give each program one of its own, with no more than it needs.</p><Button kind="primary" icon="plus" onClick=${() => setAdding(!adding)}>New key<//><//>
		${adding && html`<${NewKey} z=${z} done=${(k) => {setMade(k); setAdding(false); of.again();}}/>`}
		${made && html`<Once of=${`The key “${made.label}”`} secret=${made.key} done=${() => setMade(null)}/>`}
		<List of=${of} heads=${["Label", "Begins with", "May", "Made", "Last used", "Ends", ""]} row=${(k) => [k.id, html`<b>${k.label}</b>`, html`<code>${k.prefix}…<//>`,
			k.scopes ? k.scopes.map((s) => html`<Badge key=${s}>${s}<//> `) : html`<Badge kind="warn">everything<//>`, fmtAgo(k.createdAt), k.lastUsedAt ? fmtAgo(k.lastUsedAt) : "never", k.revokedAt ? html`<Badge kind="bad">revoked<//>` : k.expiresAt ? html`${ms(k.expiresAt) < clock() && html`<Badge kind="bad">expired<//> `}${fmtExact(k.expiresAt, z)}` : "never",
			!k.revokedAt && html`<Confirm label="Revoke" ask="The next request with it is refused." onYes=${async () => {await del("api-keys/" + k.id); tell("The key is good no more."); of.again();}}/>`]}/>`;
}

function NewKey({done, z}) {
	const of = useData(async () => Object.entries(Object.groupBy((await describe()).components.schemas.Scope.enum, (s) => s.replace(/\.\w+$/, ""))), []);
	const make = async ({label, until, ...picked}) => {
		const scopes = Object.entries(picked).map(([k, v]) => k + "." + v);
		done(await post("api-keys", {label, scopes: scopes.length ? scopes : undefined, expiresAt: until ? iso(fromInput(until, z)) : undefined}));
	};
	return html`<Read of=${of}>${(areas) => html`<Form class="box stack" send=${make}><div class="tools"><Field label="Label"><input name="label" required/><//><Field label="Good until (empty: for ever)"><input name="until" type="datetime-local"/><//><//>
		<fieldset class="box"><legend>What it may do. Where nothing is chosen: everything.<//><div class="cards">${areas.map(([k, scopes]) => html`<Field label=${k}><select name=${k}><option value="">nothing<//>${scopes.map((s) => html`<option value=${s.split(".").at(-1)}>${s.endsWith("read") ? "read" : "read and write"}<//>`)}<//><//>`)}<//><//>
		<div><button class="btn primary">Make the key<//><//><//>`}<//>`;
}
