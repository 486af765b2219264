package browser

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// This file owns a browser that is driven by chromedp, and what it noted of a page.

// Browser is a page of Chromium. All that goes wrong in it is noted: errors, what its policy refused, requests to other
// origins.
type Browser struct {
	*testing.T
	origin string
	page   context.Context

	mu     sync.Mutex
	faults []string
	asked  []string // paths of requests
}

// Open starts Chromium. It is skipped by name where there is none; in CI that is a failure.
func Open(t *testing.T, origin string) *Browser {
	program, err := exec.LookPath("chromium")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "chromium is missing")
		t.Skip("chromium is missing: the console is not opened")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-GB"))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	page, closePage := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		closePage()
		end()
	})
	b := &Browser{T: t, origin: origin, page: page}
	require.NoError(t, chromedp.Listen(page, b.note))
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil)
	}
	return b
}

// note keeps what a page must not do.
func (b *Browser) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.fault("exception", e.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			b.fault("console", e.Args)
		}
	case *log.EventEntryAdded:
		// A refusal that the page provokes, as by a preview, is reported as an error of the network; the page shows it.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			b.fault(string(e.Entry.Source), e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			b.asked = append(b.asked, u.Path)
			if u.Scheme+"://"+u.Host != b.origin {
				b.fault("a request off its origin", e.Request.URL)
			}
		}
	}
}

// fault notes what went wrong. It is called under the lock.
func (b *Browser) fault(where string, what any) {
	raw, _ := json.Marshal(what)
	b.faults = append(b.faults, where+": "+string(raw[:min(len(raw), 600)]))
}

// Call makes the browser do a command of its protocol. A refusal of the browser is noted, except where the page was
// left meanwhile: the next page is asked again.
func (b *Browser) Call(method string, params any) json.RawMessage {
	b.Helper()
	ctx, end := context.WithTimeout(b.page, 3*time.Minute)
	defer end()
	if params == nil {
		params = cdp.Empty{}
	}
	got, err := chromedp.Call(ctx, cdp.Command[any, json.RawMessage]{Method: method}, params)
	require.NoError(b, ctx.Err(), "the browser does not answer: %s", method)
	if err != nil {
		if !strings.Contains(err.Error(), "Inspected target navigated") {
			b.mu.Lock()
			b.fault("protocol", err.Error())
			b.mu.Unlock()
		}
		return json.RawMessage("{}")
	}
	return got
}

func (b *Browser) Into(v any, method string, params any) {
	b.Helper()
	require.NoError(b, json.Unmarshal(b.Call(method, params), v))
}

// Eval evaluates an expression in the page, and waits for what it promises.
func (b *Browser) Eval(js string) any {
	b.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails *json.RawMessage
	}
	b.Into(&got, "Runtime.evaluate", map[string]any{"expression": js, "awaitPromise": true, "returnByValue": true})
	if got.ExceptionDetails != nil {
		require.Fail(b, js, string(*got.ExceptionDetails))
	}
	return got.Result.Value
}

// Until waits for an expression to be true.
func (b *Browser) Until(js string) {
	b.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if b.Eval("!!("+js+")") == true {
			return
		}
		if time.Now().After(end) {
			require.Fail(b, "this did not come about", "%s\n%v\n%v", js,
				b.Eval("location.href + ' ' + document.body.innerText.slice(0, 800)"), b.Noted())
		}
	}
}

// Noted gives what was noted since it was last asked.
func (b *Browser) Noted() (faults []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	faults, b.faults = b.faults, nil
	return faults
}

func (b *Browser) Requests() (paths []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, b.asked = b.asked, nil
	return paths
}

// Size makes the window wide or narrow, light or dark.
func (b *Browser) Size(width, height int, dark bool) {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	b.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// Press sends a key as a person does.
func (b *Browser) Press(key string) {
	code := map[string]int{"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
		"Tab": 9}[key]
	p := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		p["text"] = "\r"
	} else if len(key) == 1 {
		p["text"], p["windowsVirtualKeyCode"] = key, int(strings.ToUpper(key)[0])
	}
	b.Call("Input.dispatchKeyEvent", p)
	p["type"] = "keyUp"
	delete(p, "text")
	b.Call("Input.dispatchKeyEvent", p)
}

func (b *Browser) Text(s string) { b.Call("Input.insertText", map[string]any{"text": s}) }

// Shot writes what the window shows.
func (b *Browser) Shot(file string) {
	var got struct{ Data string }
	b.Into(&got, "Page.captureScreenshot", map[string]any{"format": "png"})
	raw, err := base64.StdEncoding.DecodeString(got.Data)
	require.NoError(b, err)
	require.NoError(b, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(b, os.WriteFile(file, raw, 0o644))
}

func (b *Browser) mouse(kind string, x, y float64) {
	b.Call("Input.dispatchMouseEvent",
		map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1})
}

// Drag moves what is under a point, with the button down, over others; it lets go at the last one where drop is set.
func (b *Browser) Drag(drop bool, points ...[2]float64) {
	b.mouse("mouseMoved", points[0][0], points[0][1])
	b.mouse("mousePressed", points[0][0], points[0][1])
	for _, p := range points[1:] {
		b.mouse("mouseMoved", p[0], p[1])
	}
	if last := points[len(points)-1]; drop {
		b.Release(last[0], last[1])
	}
}

// Release lets the button go.
func (b *Browser) Release(x, y float64) { b.mouse("mouseReleased", x, y) }

// Drop lets a file go over an element, as from a folder's window.
func (b *Browser) Drop(selector, file string) {
	b.Helper()
	x, y := b.Middle(selector)
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		b.Call("Input.dispatchDragEvent", map[string]any{"type": kind, "x": x, "y": y,
			"data": map[string]any{"items": []any{}, "files": []string{file}, "dragOperationsMask": 1}})
	}
}

// Middle is where an element is, in the window.
func (b *Browser) Middle(selector string) (x, y float64) {
	b.Helper()
	at := b.Eval(fmt.Sprintf(
		`(() => {const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];})()`, selector)).([]any)
	return at[0].(float64), at[1].(float64)
}

// Click clicks the button or link that says a text, inside of what a selector finds.
func (b *Browser) Click(inside, text string) {
	b.Helper()
	b.Until(fmt.Sprintf(
		`[...document.querySelectorAll(%q)].some((x) => !x.disabled && !x.ariaDisabled && (x.textContent.trim() === %[2]q || x.ariaLabel === %[2]q) && (x.click(), true))`, inside+" :is(button, a, [role=tab])", text))
}

// Says waits for a text to stand in what a selector finds.
func (b *Browser) Says(selector, text string) {
	b.Helper()
	b.Until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((x) => x.textContent.includes(%q))`, selector, text))
}

// settled says that a view has read what it shows.
const settled = `document.querySelector("main .view") && !document.querySelector("main .skeleton, [aria-busy=true]")`

// Show goes to a view by its address, and waits for what it shows.
func (b *Browser) Show(view string) {
	b.Helper()
	b.Eval(fmt.Sprintf("location.hash = %q", "#/"+view))
	name, _, _ := strings.Cut(view, "?")
	b.Until(fmt.Sprintf(`document.querySelector(".rail [aria-current]")?.hash.startsWith("#/%s")`, name))
	b.Until(settled)
	time.Sleep(250 * time.Millisecond)
	b.Until(settled)
}

// Visit opens the page at a view, as a user does who has typed a key before.
func (b *Browser) Visit(key, view string) {
	b.Helper()
	b.Call("Page.addScriptToEvaluateOnNewDocument",
		map[string]any{"source": fmt.Sprintf("try { sessionStorage.setItem('holdfast.key', %q) } catch {}", key)})
	b.Call("Page.navigate", map[string]any{"url": b.origin + "/#/" + view})
	b.Until(settled)
}

// Reload opens the page anew, and waits for what it shows: until then the one before may answer.
func (b *Browser) Reload() {
	b.Helper()
	b.Eval("window.left = true; location.reload()")
	b.Until("!window.left && " + settled)
}

//go:embed contrast.js
var contrast string

// Faint lists texts that are seen and have less contrast to what is behind them than WCAG 2.2 asks at level AA.
func (b *Browser) Faint() (list []string) {
	b.Helper()
	for _, x := range b.Eval(contrast).([]any) {
		list = append(list, x.(string))
	}
	return list
}

// controls are what one works with: those that are seen and can be used. Of bars and of cells, between which arrows
// lead, one is enough.
const controls = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((x) => !x.disabled && x.checkVisibility({visibilityProperty: true}) && x.getClientRects().length &&
	!(x.matches("[data-bar], [role=gridcell]") && x.tabIndex < 0 && document.querySelector(":is([data-bar], [role=gridcell])[tabindex='0']")))`

// Unreached lists the controls that Tab does not come to, however often it is pressed: of those that were there all the
// time.
func (b *Browser) Unreached() (list []string) {
	b.Helper()
	left := b.Eval("document.activeElement?.blur(); window.unreached = new Set(" + controls +
		"); window.unreached.size").(float64)
	for most := 4 * left; left > 0 && most > 0; most-- { // a field of a date takes several
		b.Press("Tab")
		left = b.Eval("window.unreached.delete(document.activeElement); window.unreached.size").(float64)
	}
	for _, x := range b.Eval(controls +
		`.filter((x) => window.unreached.has(x)).map((x) => x.tagName + " " + x.className + " " + (x.ariaLabel || x.textContent.trim().slice(0, 40)))`).([]any) {
		list = append(list, x.(string))
	}
	return list
}

// Kept lists where the page keeps a text but in the session's storage. Of databases and caches it has none, whatever
// would be in them.
func (b *Browser) Kept(text string) (list []string) {
	b.Helper()
	for _, x := range b.Eval(fmt.Sprintf(`(async () => {
		const text = %q, has = (x) => JSON.stringify(x).includes(text);
		return Object.entries({localStorage: has({...localStorage}), cookie: has(document.cookie), address: has(location.href), database: (await indexedDB.databases()).length, cache: (await caches.keys()).length}).filter(([, is]) => is).map(([place]) => place);
	})()`, text)).([]any) {
		list = append(list, x.(string))
	}
	return list
}

// Wider is by how many pixels the page is wider than its window.
func (b *Browser) Wider() float64 {
	b.Helper()
	return b.Eval("document.documentElement.scrollWidth - innerWidth").(float64)
}

// Cut lists what is opened over a page and does not lie in its window, and what of it is wider than it.
func (b *Browser) Cut() (list []string) {
	b.Helper()
	for _, x := range b.Eval(`[...document.querySelectorAll(".panel, .panel .body, .notes, .moving")].filter((x) => {
		const r = x.getBoundingClientRect();
		return r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight || x.scrollWidth > x.clientWidth;
	}).map((x) => x.className)`).([]any) {
		list = append(list, x.(string))
	}
	return list
}

// Elements is how many there are.
func (b *Browser) Elements() float64 {
	b.Helper()
	return b.Eval(`document.querySelectorAll("*").length`).(float64)
}

// Nameless lists the controls of the accessibility tree that have no name.
func (b *Browser) Nameless() (list []string) {
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value string }
			NodeID     string
		}
	}
	b.Into(&tree, "Accessibility.getFullAXTree", nil)
	for _, n := range tree.Nodes {
		switch n.Role.Value {
		case "button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "tab", "gridcell",
			"slider", "DisclosureTriangle", "Date", "DateTime", "dialog", "image":
			if !n.Ignored && strings.TrimSpace(n.Name.Value) == "" {
				list = append(list, fmt.Sprintf("%s %s", n.Role.Value, n.NodeID))
			}
		}
	}
	return list
}
