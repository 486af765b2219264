package browser

import (
	"bufio"
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

	"github.com/stretchr/testify/require"
)

// This file owns a browser that is driven by its own protocol over a pair of pipes, and what it noted of a page.

// Browser is a page of Chromium. What goes wrong in it is noted: errors, what its policy refused, requests to other origins.
type Browser struct {
	*testing.T
	origin  string
	to      *os.File
	session string

	mu      sync.Mutex
	last    int
	answers map[int]chan json.RawMessage
	faults  []string
	asked   []string // paths of requests
}

// Open starts Chromium. It is skipped by name where there is none; in CI that is a failure.
func Open(t *testing.T, origin string) *Browser {
	program, err := exec.LookPath("chromium")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "chromium is missing")
		t.Skip("chromium is missing: the console is not opened")
	}
	inRead, inWrite, err := os.Pipe()
	require.NoError(t, err)
	outRead, outWrite, err := os.Pipe()
	require.NoError(t, err)
	profile, err := os.MkdirTemp("", "holdfast-browser-*")
	require.NoError(t, err)
	c := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync",
		"--disable-background-networking", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--disable-component-update", "--force-color-profile=srgb", "--lang=en-GB", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	c.ExtraFiles = []*os.File{inRead, outWrite}
	require.NoError(t, c.Start())
	b := &Browser{T: t, origin: origin, to: inWrite, answers: map[int]chan json.RawMessage{}}
	go b.read(bufio.NewReaderSize(outRead, 1<<20))
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		inWrite.Close()
		outWrite.Close()
		os.RemoveAll(profile) // what a process of the browser still writes there is of no interest
	})
	var made struct{ TargetID string }
	b.Into(&made, "Target.createTarget", map[string]any{"url": "about:blank"})
	var attached struct{ SessionID string }
	b.Into(&attached, "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true})
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil)
	}
	return b
}

// read gives answers to whom they are for, and notes events.
func (b *Browser) read(from *bufio.Reader) {
	for {
		raw, err := from.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if to := b.answers[m.ID]; m.ID > 0 && to != nil {
			delete(b.answers, m.ID)
			if m.Error != nil {
				m.Result = m.Error
				if !strings.Contains(string(m.Error), "Inspected target navigated") { // a page that is left does not answer; the next one is asked again
					b.faults = append(b.faults, "protocol: "+string(m.Error))
				}
			}
			to <- m.Result
		} else {
			b.note(m.Method, m.Params)
		}
		b.mu.Unlock()
	}
}

// note keeps what a page must not do.
func (b *Browser) note(method string, params json.RawMessage) {
	switch method {
	case "Runtime.exceptionThrown":
		b.faults = append(b.faults, "exception: "+string(params[:min(len(params), 600)]))
	case "Runtime.consoleAPICalled":
		var p struct{ Type string }
		if json.Unmarshal(params, &p); p.Type == "error" || p.Type == "assert" {
			b.faults = append(b.faults, "console: "+string(params[:min(len(params), 600)]))
		}
	case "Log.entryAdded":
		var p struct {
			Entry struct{ Level, Source, Text, URL string }
		}
		json.Unmarshal(params, &p)
		// A refusal that the page asked for, as one that is tried, is told as an error of the network; the page shows it.
		if p.Entry.Level == "error" && p.Entry.Source != "network" {
			b.faults = append(b.faults, p.Entry.Source+": "+p.Entry.Text)
		}
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		json.Unmarshal(params, &p)
		if u, err := url.Parse(p.Request.URL); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			b.asked = append(b.asked, u.Path)
			if u.Scheme+"://"+u.Host != b.origin {
				b.faults = append(b.faults, "a request off its origin: "+p.Request.URL)
			}
		}
	}
}

func (b *Browser) Call(method string, params any) json.RawMessage {
	b.Helper()
	b.mu.Lock()
	b.last++
	m := map[string]any{"id": b.last, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	to := make(chan json.RawMessage, 1)
	b.answers[b.last] = to
	raw, err := json.Marshal(m)
	require.NoError(b, err)
	_, err = b.to.Write(append(raw, 0))
	b.mu.Unlock()
	require.NoError(b, err)
	select {
	case got := <-to:
		return got
	case <-time.After(3 * time.Minute):
		require.Fail(b, "the browser does not answer", method)
		return nil
	}
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
			require.Fail(b, "this did not come about", "%s\n%v\n%v", js, b.Eval("location.href + ' ' + document.body.innerText.slice(0, 800)"), b.Noted())
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
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// Press sends a key as a person does.
func (b *Browser) Press(key string) {
	code := map[string]int{"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}[key]
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
	b.Call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1})
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
		b.Call("Input.dispatchDragEvent", map[string]any{"type": kind, "x": x, "y": y, "data": map[string]any{"items": []any{}, "files": []string{file}, "dragOperationsMask": 1}})
	}
}

// Middle is where an element is, in the window.
func (b *Browser) Middle(selector string) (x, y float64) {
	b.Helper()
	at := b.Eval(fmt.Sprintf(`(() => {const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];})()`, selector)).([]any)
	return at[0].(float64), at[1].(float64)
}

// Click clicks the button or link that says a text, inside of what a selector finds.
func (b *Browser) Click(inside, text string) {
	b.Helper()
	b.Until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((x) => !x.disabled && (x.textContent.trim() === %[2]q || x.ariaLabel === %[2]q) && (x.click(), true))`, inside+" :is(button, a, [role=tab])", text))
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

// Visit opens the page at a view as one who has typed a key before.
func (b *Browser) Visit(key, view string) {
	b.Helper()
	b.Call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": fmt.Sprintf("try { sessionStorage.setItem('holdfast.key', %q) } catch {}", key)})
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

// controls are what one works with: those that are seen and can be used. Of bars and of cells, between which arrows lead, one is enough.
const controls = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((x) => !x.disabled && x.checkVisibility({visibilityProperty: true}) && x.getClientRects().length &&
	!(x.matches("[data-bar], [role=gridcell]") && x.tabIndex < 0 && document.querySelector(":is([data-bar], [role=gridcell])[tabindex='0']")))`

// Unreached lists the controls that Tab does not come to, however often it is pressed: of those that were there all the time.
func (b *Browser) Unreached() (list []string) {
	b.Helper()
	left := b.Eval("document.activeElement?.blur(); window.unreached = new Set(" + controls + "); window.unreached.size").(float64)
	for most := 4 * left; left > 0 && most > 0; most-- { // a field of a date takes several
		b.Press("Tab")
		left = b.Eval("window.unreached.delete(document.activeElement); window.unreached.size").(float64)
	}
	for _, x := range b.Eval(controls + `.filter((x) => window.unreached.has(x)).map((x) => x.tagName + " " + x.className + " " + (x.ariaLabel || x.textContent.trim().slice(0, 40)))`).([]any) {
		list = append(list, x.(string))
	}
	return list
}

// Kept lists where the page keeps a text but in the session's storage. Of databases and caches it has none, whatever would be in them.
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
		case "button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "tab", "gridcell", "slider", "DisclosureTriangle", "Date", "DateTime", "dialog", "image":
			if !n.Ignored && strings.TrimSpace(n.Name.Value) == "" {
				list = append(list, fmt.Sprintf("%s %s", n.Role.Value, n.NodeID))
			}
		}
	}
	return list
}
