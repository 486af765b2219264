// This file owns the measure of contrast: texts that are seen, held against what is behind them, by the formula of WCAG 2.2.
(() => {
	const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const rgba = (colour) => {
		pen.clearRect(0, 0, 1, 1);
		pen.fillStyle = colour;
		pen.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
	const light = (c) => c.map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
	const ratio = (a, b) => {const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05);};

	/** All that may be behind an element: a pattern has several colours. */
	const behind = (e) => {
		if (!e) return [[255, 255, 255]];
		const s = getComputedStyle(e), under = behind(e.parentElement);
		const flat = under.map((u) => over(rgba(s.backgroundColor), u));
		const pattern = s.backgroundImage.startsWith("url") ? [] : s.backgroundImage.match(/(?:rgba?|color|oklab|oklch)\([^)]*\)/g) || [];
		return pattern.length ? pattern.flatMap((c) => flat.map((u) => over(rgba(c), u))) : flat;
	};
	const faint = new Map();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node = walk.nextNode(); node; node = walk.nextNode()) {
		const e = node.parentElement, text = node.data.trim();
		if (!text || e.closest(":disabled, [aria-disabled=true], option, noscript, .skip:not(:focus)") || !e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
		const range = document.createRange();
		range.selectNodeContents(node);
		const box = range.getBoundingClientRect();
		if (!box.width || box.right < 0 || box.bottom < 0 || box.left > innerWidth || box.top > innerHeight) continue;
		const s = getComputedStyle(e), size = parseFloat(s.fontSize), large = size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700);
		let seen = 1;
		for (let up = e; up; up = up.parentElement) seen *= Number(getComputedStyle(up).opacity);
		const [r, g, b, a] = rgba(s.color);
		const least = Math.min(...behind(e).map((u) => ratio(over([r, g, b, a * seen], u), u)));
		if (least < (large ? 3 : 4.5)) faint.set(`${e.tagName.toLowerCase()}.${e.className} ${least.toFixed(2)}: ${text.slice(0, 40)}`, 1);
	}
	return [...faint.keys()];
})()
