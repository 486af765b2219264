// This file owns the curve of a stock in time: how many units there are, how many are taken, and how many would be left.
import {html, useEffect, useRef} from "./base.js";
import uPlot from "./uplot.js";
import {DAY, fmtDay, fmtTime} from "./time.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const axis = () => ({stroke: colour("--dim"), grid: {stroke: colour("--soft")}, ticks: {stroke: colour("--line")}});

/** A plot of uPlot's that follows its box and the theme. */
export function Plot({options, data, height = 200, label}) {
	const box = useRef(null), plot = useRef(null);
	useEffect(() => {
		const draw = () => {if (!box.current) return; plot.current?.destroy(); plot.current = new uPlot({width: Math.max(240, box.current.clientWidth), height, ...options()}, data, box.current);};
		draw();
		const size = new ResizeObserver(() => box.current && plot.current?.setSize({width: Math.max(240, box.current.clientWidth), height})), theme = new MutationObserver(draw);
		size.observe(box.current);
		theme.observe(document.documentElement, {attributes: true});
		return () => {size.disconnect(); theme.disconnect(); plot.current?.destroy();};
	}, [JSON.stringify(data)]);
	return html`<div class="chart" ref=${box} role="img" aria-label=${label}></div>`;
}

/** Edges of what is on an article, where its row has no steps: one unit is told by its bars. */
function steps(row, start, end) {
	if (row.steps.length) return row.steps.map((s) => [Date.parse(s.from), s.stock, s.taken]);
	const at = new Set([start]);
	for (const b of [...row.bars, ...row.conflicts]) for (const t of [Date.parse(b.from), b.to ? Date.parse(b.to) : end]) if (t > start && t < end) at.add(t);
	return [...at].sort((a, b) => a - b).map((t) => [t, row.units, [...row.bars, ...row.conflicts].filter((b) => Date.parse(b.from) <= t && (!b.to || Date.parse(b.to) > t)).length]);
}

export function Curve({row, start, fewer, from, z}) {
	const end = start + 90 * DAY, list = steps(row, start, end), last = list[list.length - 1] || [start, row.units, 0], cut = from || Date.now();
	const all = [...list, ...(cut > start && cut < end ? [[cut, null, null]] : []), [end, last[1], last[2]]].sort((a, b) => a[0] - b[0]);
	for (let i = 0; i < all.length; i++) if (all[i][1] === null) all[i] = [all[i][0], all[i - 1]?.[1] ?? row.units, all[i - 1]?.[2] ?? 0];
	const data = [all.map((s) => s[0] / 1000), all.map((s) => s[1]), all.map((s) => s[1] - (s[0] >= cut ? fewer : 0)), all.map((s) => s[2])], path = uPlot.paths.stepped({align: 1});
	const options = () => ({
		tzDate: (ts) => uPlot.tzDate(new Date(ts * 1e3), z), scales: {y: {range: (u, lo, hi) => [0, Math.max(1, hi) * 1.15]}}, cursor: {y: false},
		axes: [axis(), {...axis(), size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 500]}],
		series: [{label: "At", value: (u, v) => (v == null ? "" : fmtDay(v * 1000, z) + " " + fmtTime(v * 1000, z))}, {label: "Units", stroke: colour("--dim"), width: 1, dash: [4, 4], paths: path, points: {show: false}},
			{label: "Then left", stroke: colour("--warn"), width: 2, paths: path, points: {show: false}}, {label: "Taken", stroke: colour("--hold"), fill: colour("--hold") + "44", width: 2, paths: path, points: {show: false}}],
	});
	return html`<${Plot} data=${data} options=${options} label=${`Units of ${row.name} over 90 days: up to ${Math.max(...data[3])} of ${row.units} taken`}/>`;
}
