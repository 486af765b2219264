// This file owns the import: a file is tried, and faults stand by their lines, before anything is made.
import {html, useState} from "./base.js";
import {describe, post} from "./api.js";
import {setQ} from "./route.js";
import {account, load, minor} from "./store.js";

const kinds = [["locations", "Places"], ["skus", "SKUs"], ["articles", "Articles"], ["customers", "Customers"], ["holds", "Bookings"]], BATCH = 2000;

const many = (n) => n.toLocaleString() + (n === 1 ? " row" : " rows");

/** The cells of a CSV file by lines; quotes hold anything. */
function readCSV(text) {
	const head = text.split("\n", 1)[0], sep = [",", ";", "\t"].sort((a, b) => head.split(b).length - head.split(a).length)[0], rows = [];
	let cells = [], line = 1, began = 1;
	for (const [all, cell, end] of text.matchAll(new RegExp(`("(?:[^"]|"")*"|[^${sep}\r\n]*)(${sep}|\r?\n|$)`, "g"))) {
		cells.push(/^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell);
		line += all.split("\n").length - 1;
		if (end === sep) continue;
		if (cells.some((x) => x.trim())) rows.push({line: began, cells});
		cells = [];
		began = line;
	}
	return {rows, sep};
}

const amount = /^(-?\d+)(?:([.,])(\d+))?(?: ?([a-z]{3}))?$/i;

/** The rows of a file as `holdfast import` takes it: CSV, with dots in heads (quantities.0.count), or JSON, an object a line. */
async function rowsOf(text, name) {
	const t = text.replace(/^\uFEFF/, "").trim(), {currency} = account.value || {};
	if (t[0] === "{") return t.split("\n").flatMap((l, i) => {try {return l.trim() ? {line: i + 1, row: JSON.parse(l)} : [];} catch {throw new Error(`${name}: line ${i + 1} is no JSON`);}});
	const {rows: [head, ...rest], sep} = readCSV(t), names = new Map(), texts = new Set(); // members by heads in any case, and which are texts
	for (const s of Object.values((await describe()).components.schemas)) for (const [k, v] of Object.entries(s.properties || {})) {
		names.set(k.toLowerCase(), k);
		if ([v.type].flat().includes("string")) texts.add(k);
	}
	let whole = 0, decimal = false; // a line with an amount that may be of minor units, and whether there is one that is not
	const said = (last, s, line) => {
		if (["codes", "tags"].includes(last) && s[0] !== "[") return s.split("|").map((x) => x.trim()).filter(Boolean);
		const [is, n, point, behind = "", of] = (["purchasePrice", "itemCosts"].includes(last) && s.match(amount)) || [];
		if (!is || (point === "," && sep !== ";") || (of && of.toUpperCase() !== currency)) {
			if (!texts.has(last)) try {return JSON.parse(s);} catch {}
			return s;
		}
		if (point || of) decimal = true;
		else {
			if (+n && minor(1, currency) > 1) whole ||= line;
			return +n;
		}
		try {return minor(n + "." + behind, currency);} catch (e) {throw new Error(`Line ${line}: ${last}: ${e.message}`);}
	};
	const paths = (head?.cells || []).map((h) => h.trim().split(".").map((p) => names.get(p.toLowerCase()) || p)), rows = rest.map(({line, cells}) => {
		const row = {};
		paths.forEach((path, i) => {
			const s = (cells[i] || "").trim(), last = path.at(-1);
			if (s && last) path.slice(0, -1).reduce((at, p, k) => at[p] ||= /^\d+$/.test(path[k + 1]) ? [] : {}, row)[last] = said(last, s, line);
		});
		return {line, row};
	});
	if (decimal && whole) throw new Error(`Line ${whole}: write the amount with a decimal point, as others are.`); // a table that drops .00 wrote 12 for 12.00
	return rows;
}

export function Import({q}) {
	const kind = q.kind || "locations", [file, setFile] = useState(null), [over, setOver] = useState(false), [state, set] = useState(/** @type {any} */ ({}));
	// Parts that are made are marked until all of the file is: an import that ended in the middle goes on behind them.
	const send = async (rows, resource, dryRun) => {
		const marks = [];
		let made = 0;
		for (let i = 0; i < rows.length; i += BATCH) {
			const part = rows.slice(i, i + BATCH), last = part.at(-1), mark = "holdfast.made " + JSON.stringify([account.value?.id, resource, i, part[0], last]);
			if (!sessionStorage[mark]) try {
				await post("import", {resource, rows: part.map((r) => r.row), dryRun}, {name: mark});
				if (!dryRun) sessionStorage[mark] = 1;
			} catch (e) {
				if (!e.errors?.length) throw e;
				return {made, faults: e.errors.map((f) => {const [, , n, ...path] = f.pointer.split("/"), row = part[n]; return {line: row?.line ?? 0, name: path.join("."), message: f.message, row: row?.row};})};
			}
			if (sessionStorage[mark]) made = last.line;
			marks.push(mark);
			set((s) => ({...s, done: i + part.length, made}));
		}
		if (!dryRun) for (const m of marks) delete sessionStorage[m];
		return {made, faults: []};
	};
	const check = async (rows, resource) => {set({checking: true, done: 0}); try {set({...await send(rows, resource, true), of: resource});} catch (error) {set({error});}};
	const take = async (f) => {
		if (!f) return;
		try {
			const rows = await rowsOf(await f.text(), f.name), resource = kinds.find(([k]) => f.name.toLowerCase().includes(k.slice(0, -1)))?.[0] || kind;
			if (!rows.length) throw new Error("The file has no rows.");
			setFile({name: f.name, rows});
			setQ({kind: resource});
			await check(rows, resource);
		} catch (error) {setFile({name: f.name, rows: []}); set({error});}
	};
	const make = async () => {
		const got = await send(file.rows, kind, false);
		if (got.faults.length) return set({...got, of: kind});
		set({all: file.rows.length});
		setFile(null);
		load();
	};
	return html`<p class="dim">Places first, then SKUs, articles, customers, bookings; rows may refer by name. CSV with a header, or JSON, an object a line.</p>
		<label class=${"drop" + (over ? " over" : "")} onDragOver=${(e) => {e.preventDefault(); setOver(true);}} onDragLeave=${() => setOver(false)} onDrop=${(e) => {e.preventDefault(); setOver(false); take(e.dataTransfer.files[0]);}}>
			<Icon name="import"/><h2>Drop a file here, or choose one<//><p class="dim">It is tried first. Nothing is made before you say so.</p><input type="file" accept=".csv,.json,.ndjson,.jsonl,.txt" aria-label="A file to import" onChange=${(e) => {take(e.target.files[0]); e.target.value = "";}}/><//>
		${state.all && html`<p class="notice good" role="status">${many(state.all)} imported. Drop the next file, or look at the <a href="#/timeline">timeline</a>.</p>`}
		${file && html`<div class="tools"><Field label=${file.name + ": " + many(file.rows.length) + " of"}><Select value=${kind} options=${kinds} onChange=${(v) => {setQ({kind: v}); check(file.rows, v);}}/><//>
			<Button kind="primary" disabled=${!state.faults || state.faults.length > 0 || state.of !== kind} onClick=${make}>Import ${many(file.rows.length)}<//><//>`}
		${state.made > 0 && html`<p class="notice warn" role="status">The rows up to line ${state.made} were made. The same file, also mended, goes on from there.</p>`}
		${state.checking && html`<p role="status">Trying … ${state.done} of ${file?.rows.length}</p>`}${state.error && html`<Failed error=${state.error}/>`}
		${state.faults && (state.faults.length ? html`<div class="notice bad" role="alert"><strong>${state.faults.length} fault${state.faults.length > 1 ? "s" : ""}; ${state.made ? "the rest" : "nothing"} was ${state.made ? "not " : ""}made<//><//><Table heads=${["#Line", "Where", "What is wrong", "The row"]} rows=${state.faults.slice(0, 200).map((f, i) => [i, f.line, html`<code>${f.name}<//>`, f.message, html`<code>${JSON.stringify(f.row || {}).slice(0, 120)}<//>`])}/>` : file && html`<p class="notice good" role="status"><strong>No fault.<//> ${many(file.rows.length)} can be made.</p>`)}`;
}
