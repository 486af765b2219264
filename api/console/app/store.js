// This file owns what all views know: the account, its places and its SKUs, and which place is looked at.
import {signal, computed} from "./base.js";
import {all, get, heard, recent} from "./api.js";
import {route} from "./route.js";

export const account = signal(null);
export const places = signal([]);
export const skus = signal([]);
export const ready = signal(false);
export const failed = signal(null);

/** The place that is looked at; null: all. */
export const place = computed(() => places.value.find((p) => p.id === route.value.q.at) || null);
/** The zone that times are shown in. */
export const zone = computed(() => place.value?.timezone || account.value?.timezone || "UTC");
export const placeName = (id) => places.value.find((p) => p.id === id)?.name || "another place";
export const zoneOf = (id) => places.value.find((p) => p.id === id)?.timezone || zone.value;
export const skuName = (id) => skus.value.find((s) => s.id === id)?.name || "an article";

/** Reads what all views need. */
export async function load() {
	try {
		const [a, l, s] = await Promise.all([get("account"), all("locations"), all("skus", {}, {pages: 20})]);
		account.value = a;
		places.value = l;
		skus.value = s;
		failed.value = null;
		ready.value = true;
	} catch (e) {
		failed.value = e;
	}
}

const about = new Set(["account", "location", "sku"]);
heard.subscribe(() => {
	if (ready.peek() && recent.peek().slice(0, 50).some((c) => about.has(c.resource))) load();
});

const written = (currency) => new Intl.NumberFormat(navigator.language, {style: "currency", currency}), units = (currency) => 10 ** written(currency).resolvedOptions().maximumFractionDigits;
/** An amount of minor units as money, and of money that was typed the minor units. */
export const money = (n, currency) => written(currency).format((n || 0) / units(currency));
export const minor = (text, currency) => Math.round(Number(text) * units(currency));
