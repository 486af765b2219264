// This file owns instants, days and zones as people read them. Instants are milliseconds; a day has 23 to 25 hours.

export const HOUR = 3_600_000, DAY = 24 * HOUR;
const locale = navigator.languages?.[0] || navigator.language || "en";

let ahead = 0; // of the browser's clock, the server's
/** The present instant, by the server's clock where the browser's is minutes off. */
export const clock = () => Date.now() + ahead;
export function hearClock(date) {
	const by = Date.parse(date) - Date.now();
	ahead = Math.abs(by) > 120_000 ? by : 0;
}

/** Keeps what a function gives. */
const kept = (f, known = new Map()) => (t, zone) => {
	const k = zone + t;
	if (known.size > 50_000) known.clear();
	if (!known.has(k)) known.set(k, f(t, zone));
	return known.get(k);
};
const formatOf = kept((o, zone) => new Intl.DateTimeFormat(locale, {timeZone: zone, ...JSON.parse(o)})), format = (zone, o) => formatOf(JSON.stringify(o), zone);

/** @type {Intl.DateTimeFormatOptions} */
const wall = {year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", calendar: "gregory", numberingSystem: "latn"};
/** The wall clock of an instant in a zone, as if it were UTC. */
const wallOf = kept((t, zone) => {
	const p = {};
	for (const x of format(zone, wall).formatToParts(t)) p[x.type] = +x.value;
	return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second);
});

/** The instant at which a zone's wall clock shows a time, given as if it were UTC: the first of two, or where the clock went on past it. */
export function instantOf(w, zone) {
	const near = [w - DAY, w + DAY].map((t) => w - (wallOf(t, zone) - t));
	return near.find((t) => wallOf(t, zone) === w) ?? Math.max(...near);
}

/** The first instant of the local day that t is in. */
export const dayStart = (t, zone) => days(t, 0, zone)[0];

/** The same wall clock so many days on. */
export const addDays = (t, n, zone) => instantOf(wallOf(t, zone) + n * DAY, zone);

/** The first instants of n + 1 local days from t's on. */
export function days(t, n, zone) {
	const w = wallOf(t, zone), first = w - (w % DAY + DAY) % DAY;
	return Array.from({length: n + 1}, (_, i) => instantOf(first + i * DAY, zone));
}

/** The date of an instant, as if it were UTC; and its day of the week, 0 for Sunday. */
export const dateOf = (t, zone) => new Date(wallOf(ms(t), zone)), weekday = (t, zone) => dateOf(t, zone).getUTCDay();

/** The first day of a week and the days of a weekend of the locale, 0 for Sunday. */
export const week = (() => {
	try {
		const l = /** @type {any} */ (new Intl.Locale(locale)), w = l.getWeekInfo?.() || l.weekInfo;
		return {first: w.firstDay % 7, weekend: w.weekend.map((d) => d % 7)};
	} catch {return {first: 1, weekend: [6, 0]};}
})();

export const ms = (t) => (typeof t === "string" ? Date.parse(t) : t);
export const iso = (t) => new Date(t).toISOString();
export const between = (from, to) => ({from: iso(from), to: iso(to)});

/** How instants are written that have such parts; a day of another year has its year. */
const written = (o) => kept((t, zone) => format(zone, o.day && dateOf(t, zone).getUTCFullYear() !== dateOf(clock(), zone).getUTCFullYear() ? {...o, year: "numeric"} : o).format(ms(t)));
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
export const toInput = (t, zone) => dateOf(t, zone).toISOString().slice(0, 16);
export const fromInput = (s, zone) => instantOf(Date.parse(s + (s.length === 16 ? ":00Z" : "T00:00:00Z")), zone);
export function zoneName(zone, t) {
	return format(zone, {timeZoneName: "short"}).formatToParts(t).find((p) => p.type === "timeZoneName")?.value || zone;
}
