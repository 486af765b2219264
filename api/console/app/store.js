// This file owns what all views know: the account, its places and SKUs, and which place is looked at.
import {signal, computed} from "./base.js";
import {all, get, heard, key, may, recent} from "./api.js";
import {route} from "./route.js";

export const account = signal(null);
export const places = signal([]);
export const skus = signal(/** @type {any} */ ([])); // and how many are left
export const ready = signal(false);
export const failed = signal(null);

const placeOf = (id) => places.value.find((p) => p.id === id);
/** The place that is looked at; none: all. */
export const place = computed(() => placeOf(route.value.q.at));
export const zone = computed(() => place.value?.timezone || account.value?.timezone || places.value[0]?.timezone || "UTC");
export const placeName = (id) => placeOf(id)?.name || (places.value.length ? "another place" : "");
export const zoneOf = (id) => placeOf(id)?.timezone || zone.value;
export const skuName = (id) => skus.value.find((s) => s.id === id)?.name || "an article";

export async function load() {
	try {
		[account.value, places.value, skus.value] = await Promise.all([may(get("account")), may(all("locations"), []), may(all("skus", {}, {pages: 20}), [])]);
		failed.value = null;
		ready.value = true;
	} catch (e) {
		if (e.name !== "AbortError") failed.value = e;
	}
}

key.subscribe((k) => {if (!k) ready.value = failed.value = account.value = null;}); // the next one may be of another account

const about = new Set(["account", "location", "sku"]);
heard.subscribe(() => {
	if (failed.peek() || recent.peek().slice(0, 50).some((c) => about.has(c.resource))) load();
});

/** Finds SKUs by a text where there are more than are read at first. */
export async function findSKUs(search, o) {
	const {left} = skus.value;
	if (!search || !left) return;
	const known = new Map(skus.value.map((s) => [s.id, s])), got = await all("skus", {search}, o), more = got.filter((s) => !known.has(s.id));
	if (more.length) skus.value = Object.assign([...skus.value, ...more], {left: left - more.length});
}

/** How many digits ISO 4217 gives a currency; a browser has others. */
const digits = (currency) => ("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".includes(currency) ? 0 : "BHD IQD JOD KWD LYD OMR TND".includes(currency) ? 3 : 2);
/** An amount of minor units as money, and the minor units of what was typed. */
export function money(n, currency) {
	const d = digits(currency);
	return new Intl.NumberFormat(navigator.language, {style: "currency", currency, minimumFractionDigits: d, maximumFractionDigits: d}).format(/** @type {any} */ (`${n || 0}e-${d}`));
}
export function minor(text, currency) {
	const d = digits(currency), n = Number(`${text}e${d}`);
	if (!Number.isInteger(n)) throw new Error(`${currency} has ${d} decimal digits.`);
	return n;
}
