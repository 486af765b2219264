// Package browser drives Chromium over the console with chromedp, for tests: as a person does, by keys, pointer and
// files that are dropped. It notes what a page must not do, measures contrast, and looks for controls without a name.
package browser
