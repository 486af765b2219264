// This file owns the curve of a stock in time: how many units there are, are taken, and would be left.
import {html, useEffect, useRef} from "./base.js";
import uPlot from "./uplot.js";
import {DAY, clock, fmtDate, fmtDay, fmtTime} from "./time.js";

const HEIGHT = 200, path = uPlot.paths.stepped({align: 1});
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const axis = () => ({stroke: colour("--dim"), grid: {stroke: colour("--soft")}, ticks: {stroke: colour("--line")}});
const line = (label, c, more) => ({label, stroke: colour(c), width: 2, paths: path, points: {show: false}, ...more});

/** The next 90 days; it follows its box and the theme. */
export function Curve({row, start, fewer, from, z}) {
	const box = useRef(null), end = start + 90 * DAY, cut = Math.max(start, from || clock()), edges = row.steps.map((s) => Date.parse(s.from));
	const times = [...new Set([...edges, cut, end])].filter((t) => t <= end).sort((a, b) => a - b), of = times.map((t) => row.steps[Math.max(0, edges.findLastIndex((e) => e <= t))]);
	/** @type {any} */
	const data = [times.map((t) => t / 1000), of.map((s) => s.stock), of.map((s, i) => s.stock - (times[i] >= cut ? fewer : 0)), of.map((s) => s.taken)];
	useEffect(() => {
		const at = box.current, size = () => ({width: Math.max(240, at.clientWidth), height: HEIGHT}); // which is seen once more when it is gone
		let plot = null;
		const draw = () => {
			plot?.destroy();
			plot = new uPlot({
				...size(), tzDate: (ts) => uPlot.tzDate(new Date(ts * 1e3), z), scales: {y: {range: (u, lo, hi) => [0, Math.max(1, hi) * 1.15]}}, cursor: {y: false},
				axes: [{...axis(), values: (u, list) => list.map((t) => fmtDate(t * 1000, z))}, {...axis(), size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 500]}],
				series: [{label: "At", value: (u, v) => (v == null ? "" : fmtDay(v * 1000, z) + " " + fmtTime(v * 1000, z))}, line("Units", "--dim", {width: 1, dash: [4, 4]}), line("Then left", "--warn"), line("Taken", "--hold", {fill: colour("--hold") + "44"})],
			}, data, at);
		};
		draw();
		const sized = new ResizeObserver(() => plot.setSize(size())), theme = new MutationObserver(draw);
		sized.observe(at);
		theme.observe(document.documentElement, {attributes: true});
		return () => {sized.disconnect(); theme.disconnect(); plot.destroy();};
	}, [JSON.stringify(data)]);
	return html`<div class="chart" ref=${box} role="img" aria-label=${`Units of ${row.name} over 90 days: up to ${Math.max(...data[3])} of ${row.units} taken`}><//>`;
}
