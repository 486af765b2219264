// This file owns instants, days and zones as people read them. Instants are milliseconds; a day of a zone has 23 to 25 hours.

export const HOUR = 3_600_000, DAY = 24 * HOUR;
const locale = navigator.languages?.[0] || navigator.language || "en";

let ahead = 0; // of the browser's clock, the server's
/** The present instant, by the server's clock where the browser's is minutes off. */
export const clock = () => Date.now() + ahead;
/** Hears what the server's clock says. */
export function hearClock(date) {
	const by = Date.parse(date) - Date.now();
	ahead = Math.abs(by) > 120_000 ? by : 0;
}

const formats = new Map();
function format(zone, o, lang = locale) {
	const k = lang + zone + JSON.stringify(o);
	let f = formats.get(k);
	if (!f) formats.set(k, f = new Intl.DateTimeFormat(lang, {timeZone: zone, ...o}));
	return f;
}

/** Keeps what a function gives, which is asked for again and again. */
const kept = (f, known = new Map()) => (t, zone) => {
	const k = zone + t;
	if (known.size > 50_000) known.clear();
	if (!known.has(k)) known.set(k, f(t, zone));
	return known.get(k);
};

/** @type {Intl.DateTimeFormatOptions} */
const wall = {year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23"};
/** The wall clock of an instant in a zone, as if it were UTC. */
const wallOf = kept((t, zone) => {
	const p = {};
	for (const x of format(zone, wall, "en-US").formatToParts(t)) p[x.type] = +x.value;
	return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second);
});

/** The instant at which a zone's wall clock shows a time, given as if it were UTC. */
export function instantOf(w, zone) {
	let t = w - (wallOf(w, zone) - w);
	const off = wallOf(t, zone) - w;
	if (off) t -= off;
	return t;
}

/** The first instant of the local day that t is in. */
export function dayStart(t, zone) {
	const w = wallOf(t, zone);
	return instantOf(w - (w % DAY + DAY) % DAY, zone);
}

/** The same wall clock so many days on. */
export function addDays(t, n, zone) {return instantOf(wallOf(t, zone) + n * DAY, zone);}

/** The first instants of n + 1 local days from t's on. */
export function days(t, n, zone) {
	const w = wallOf(t, zone), first = w - (w % DAY + DAY) % DAY;
	return Array.from({length: n + 1}, (_, i) => instantOf(first + i * DAY, zone));
}

/** The day of the week of an instant, 0 for Sunday. */
export function weekday(t, zone) {return new Date(wallOf(t, zone)).getUTCDay();}

/** The first day of a week and the days of a weekend of the locale, 0 for Sunday. */
export const week = (() => {
	try {
		const l = /** @type {any} */ (new Intl.Locale(locale)), w = l.getWeekInfo?.() || l.weekInfo;
		return {first: w.firstDay % 7, weekend: w.weekend.map((d) => d % 7)};
	} catch {return {first: 1, weekend: [6, 0]};}
})();

export const ms = (t) => (typeof t === "string" ? Date.parse(t) : t);
export const iso = (t) => new Date(t).toISOString();
/** What a window is to the interface. */
export const between = (from, to) => ({from: iso(from), to: iso(to)});

/** How instants are written that have such parts. */
const written = (o) => kept((t, zone) => format(zone, o).format(ms(t)));
const instant = written({weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit"});
export const fmtDay = written({weekday: "short", day: "numeric", month: "short"}), fmtMonth = written({month: "long", year: "numeric"}), fmtMonthShort = written({month: "short"}), fmtDate = written({day: "numeric", month: "short"}), fmtWeekday = written({weekday: "short"}), fmtTime = written({hour: "2-digit", minute: "2-digit"});
export const fmtDayNo = (t, zone) => format(zone, {day: "numeric"}).format(ms(t)).replace(/\D+$/, "");
export const fmtInstant = (t, zone) => (t == null ? "no end" : instant(t, zone));
export const fmtExact = written({dateStyle: "medium", timeStyle: "medium"});
export function fmtRange(from, to, zone) {
	if (to == null) return instant(from, zone) + " →";
	return instant(from, zone) + " – " + (ms(to) - ms(from) < DAY && fmtDay(from, zone) === fmtDay(to, zone) ? fmtTime : instant)(to, zone);
}

/** How long, in the two largest units. */
export function fmtLength(millis) {
	const d = Math.floor(millis / DAY), h = Math.floor(millis % DAY / HOUR), m = Math.round(millis % HOUR / 60_000);
	if (d) return d + " d" + (h ? " " + h + " h" : "");
	return h ? h + " h" + (m ? " " + m + " min" : "") : m + " min";
}

const relative = new Intl.RelativeTimeFormat(locale, {numeric: "auto"});
export function fmtAgo(t, now = clock()) {
	const s = (ms(t) - now) / 1000, a = Math.abs(s), [unit, length] = /** @type {[any, number]} */ (a < 90 ? ["second", 1] : a < 5400 ? ["minute", 60] : a < 129600 ? ["hour", 3600] : ["day", 86400]);
	return relative.format(Math.round(s / length), unit);
}

/** What an input of a local time shows, and back. */
export function toInput(t, zone) {return new Date(wallOf(ms(t), zone)).toISOString().slice(0, 16);}
export function fromInput(s, zone) {return instantOf(Date.parse(s + (s.length === 16 ? ":00Z" : "T00:00:00Z")), zone);}
/** The short name of the zone at an instant. */
export function zoneName(zone, t) {
	return format(zone, {timeZoneName: "short"}).formatToParts(t).find((p) => p.type === "timeZoneName")?.value || zone;
}
