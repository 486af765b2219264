// This file owns the import: a file is tried, and its faults stand by their lines before anything is made.
import {html, useState} from "./base.js";
import {post} from "./api.js";
import {route, setQ} from "./route.js";
import {load} from "./store.js";
import {Button, Failed, Field, Icon, Select, Table} from "./ui.js";

const kinds = [["locations", "Places"], ["skus", "SKUs"], ["articles", "Articles"], ["customers", "Customers"], ["holds", "Bookings"]], BATCH = 2000;

const many = (n) => n.toLocaleString() + (n === 1 ? " row" : " rows");

/** The cells of a CSV file by lines; quotes may hold commas, quotes and line ends. */
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
	return rows;
}

/** What a cell says: a number of up to 15 digits, true, false, JSON, or a text. */
function typed(s) {
	const t = s.trim();
	if (/^(true|false|-?(0|[1-9]\d{0,14})(\.\d+)?|[[{].*)$/s.test(t)) try {return JSON.parse(t);} catch {}
	return t || undefined;
}
const texts = new Set(["name", "code", "externalId", "phone", "zipCode", "note", "reference", "taxId", "description", "condition"]);

/** The rows of a file: CSV, with dots in heads (quantities.0.count), or JSON, an object a line. */
function rowsOf(text, name) {
	const t = text.replace(/^\uFEFF/, "").trim();
	if (t[0] === "{") return t.split("\n").flatMap((l, i) => {try {return l.trim() ? {line: i + 1, row: JSON.parse(l)} : [];} catch {throw new Error(`${name}: line ${i + 1} is no JSON`);}});
	const [head, ...rest] = readCSV(t);
	return rest.map(({line, cells}) => {
		const row = {};
		head.cells.forEach((h, i) => {
			const path = h.trim().split("."), last = path.at(-1), v = texts.has(last) ? (cells[i] || "").trim() || undefined : typed(cells[i] || "");
			if (v === undefined || !h.trim()) return;
			const at = path.slice(0, -1).reduce((at, p, k) => at[p] ||= /^\d+$/.test(path[k + 1]) ? [] : {}, row);
			at[last] = last === "codes" && typeof v === "string" ? v.split(/[ ,;|]+/) : v;
		});
		return {line, row};
	});
}

export function Import() {
	const kind = route.value.q.kind || "locations", [file, setFile] = useState(null), [over, setOver] = useState(false), [state, set] = useState(/** @type {any} */ ({}));
	const send = async (rows, resource, dryRun) => {
		for (let i = 0; i < rows.length; i += BATCH) {
			try {await post("import", {resource, rows: rows.slice(i, i + BATCH).map((r) => r.row), dryRun});} catch (e) {
				if (!e.errors?.length) throw e;
				return e.errors.map((f) => {const [, , n, ...path] = f.pointer.split("/"), row = rows[i + Number(n)]; return {line: row?.line ?? 0, name: path.join("."), message: f.message, row: row?.row};});
			}
			set((s) => ({...s, done: Math.min(rows.length, i + BATCH)}));
		}
		return [];
	};
	const check = async (rows, resource) => {set({checking: true, done: 0}); try {set({faults: await send(rows, resource, true), of: resource});} catch (error) {set({error});}};
	const take = async (f) => {
		if (!f) return;
		try {
			const rows = rowsOf(await f.text(), f.name), resource = kinds.find(([k]) => f.name.toLowerCase().includes(k.slice(0, -1)))?.[0] || kind;
			if (!rows.length) throw new Error("The file has no rows.");
			setFile({name: f.name, rows});
			setQ({kind: resource});
			await check(rows, resource);
		} catch (error) {setFile({name: f.name, rows: []}); set({error});}
	};
	const make = async () => {
		const faults = await send(file.rows, kind, false);
		if (faults.length) return set({faults, of: kind});
		set({made: file.rows.length});
		setFile(null);
		load();
	};
	return html`<p class="dim">Places first, then SKUs, articles, customers, bookings; rows may refer by name. CSV with a header, or JSON, an object a line.</p>
		<label class=${"drop" + (over ? " over" : "")} onDragOver=${(e) => {e.preventDefault(); setOver(true);}} onDragLeave=${() => setOver(false)} onDrop=${(e) => {e.preventDefault(); setOver(false); take(e.dataTransfer.files[0]);}}>
			<${Icon} name="import"/><h2>Drop a file here, or choose one</h2><p class="dim">It is tried first. Nothing is made before you say so.</p><input type="file" accept=".csv,.json,.ndjson,.jsonl,.txt" aria-label="A file to import" onChange=${(e) => {take(e.target.files[0]); e.target.value = "";}}/></label>
		${state.made && html`<p class="notice good" role="status">${many(state.made)} imported. Drop the next file, or look at the <a href="#/timeline">timeline</a>.</p>`}
		${file && html`<div class="tools"><${Field} label=${file.name + ": " + many(file.rows.length) + " of"}><${Select} value=${kind} options=${kinds} onChange=${(v) => {setQ({kind: v}); check(file.rows, v);}}/><//>
			<${Button} kind="primary" disabled=${!state.faults || state.faults.length > 0 || state.of !== kind} onClick=${make}>Import ${many(file.rows.length)}<//></div>`}
		${state.checking && html`<p role="status">Trying … ${state.done} of ${file?.rows.length}</p>`}${state.error && html`<${Failed} error=${state.error}/>`}
		${state.faults && (state.faults.length ? html`<div class="notice bad" role="alert"><strong>${state.faults.length} fault${state.faults.length > 1 ? "s" : ""}; nothing was made</strong></div><${Table} heads=${["#Line", "Where", "What is wrong", "The row"]} rows=${state.faults.slice(0, 200).map((f, i) => [i, f.line, html`<code>${f.name}</code>`, f.message, html`<code>${JSON.stringify(f.row || {}).slice(0, 120)}</code>`])}/>` : file && html`<p class="notice good" role="status"><strong>No fault.</strong> ${many(file.rows.length)} can be made.</p>`)}`;
}
