//go:build console

package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns a browser that is driven by its own protocol over a pair of pipes, and what it noted of a page.

// browser is a page of Chromium. What goes wrong in it is noted: errors, what its policy refused, requests to other origins.
type browser struct {
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

// open starts Chromium. It is skipped by name where there is none; in CI that is a failure.
func openBrowser(t *testing.T, origin string) *browser {
	program, err := exec.LookPath("chromium")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "chromium is missing")
		t.Skip("chromium is missing: the console is not opened")
	}
	inRead, inWrite, err := os.Pipe()
	require.NoError(t, err)
	outRead, outWrite, err := os.Pipe()
	require.NoError(t, err)
	c := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync",
		"--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb", "--lang=en-GB", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	c.ExtraFiles = []*os.File{inRead, outWrite}
	require.NoError(t, c.Start())
	b := &browser{T: t, origin: origin, to: inWrite, answers: map[int]chan json.RawMessage{}}
	go b.read(bufio.NewReaderSize(outRead, 1<<20))
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		inWrite.Close()
		outWrite.Close()
	})
	var made struct{ TargetID string }
	b.into(&made, "Target.createTarget", map[string]any{"url": "about:blank"})
	var attached struct{ SessionID string }
	b.into(&attached, "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true})
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil)
	}
	return b
}

// read gives answers to whom they are for, and notes events.
func (b *browser) read(from *bufio.Reader) {
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
			}
			to <- m.Result
		} else {
			b.note(m.Method, m.Params)
		}
		b.mu.Unlock()
	}
}

// note keeps what a page must not do.
func (b *browser) note(method string, params json.RawMessage) {
	switch method {
	case "Runtime.exceptionThrown":
		b.faults = append(b.faults, "exception: "+string(params[:min(len(params), 600)]))
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

func (b *browser) call(method string, params any) json.RawMessage {
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
	case <-time.After(30 * time.Second):
		require.Fail(b, "the browser does not answer", method)
		return nil
	}
}

func (b *browser) into(v any, method string, params any) {
	b.Helper()
	require.NoError(b, json.Unmarshal(b.call(method, params), v))
}

// eval evaluates an expression in the page, and waits for what it promises.
func (b *browser) eval(js string) any {
	b.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails *json.RawMessage
	}
	b.into(&got, "Runtime.evaluate", map[string]any{"expression": js, "awaitPromise": true, "returnByValue": true})
	if got.ExceptionDetails != nil {
		require.Fail(b, js, string(*got.ExceptionDetails))
	}
	return got.Result.Value
}

// until waits for an expression to be true.
func (b *browser) until(js string) {
	b.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if b.eval("!!("+js+")") == true {
			return
		}
		if time.Now().After(end) {
			require.Fail(b, "this did not come about", "%s\n%v\n%v", js, b.eval("location.href + ' ' + document.body.innerText.slice(0, 800)"), b.noted())
		}
	}
}

// noted gives what was noted since it was last asked.
func (b *browser) noted() (faults []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	faults, b.faults = b.faults, nil
	return faults
}

func (b *browser) requests() (paths []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, b.asked = b.asked, nil
	return paths
}

// size makes the window wide or narrow, light or dark.
func (b *browser) size(width, height int, dark bool) {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// press sends a key as a person does.
func (b *browser) press(key string) {
	code := map[string]int{"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}[key]
	p := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		p["text"] = "\r"
	} else if len(key) == 1 {
		p["text"], p["windowsVirtualKeyCode"] = key, int(strings.ToUpper(key)[0])
	}
	b.call("Input.dispatchKeyEvent", p)
	p["type"] = "keyUp"
	delete(p, "text")
	b.call("Input.dispatchKeyEvent", p)
}

func (b *browser) text(s string) { b.call("Input.insertText", map[string]any{"text": s}) }

// shot writes what the window shows.
func (b *browser) shot(file string) {
	var got struct{ Data string }
	b.into(&got, "Page.captureScreenshot", map[string]any{"format": "png"})
	raw, err := base64.StdEncoding.DecodeString(got.Data)
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(file, raw, 0o644))
}

// nameless lists the controls of the accessibility tree that have no name.
func (b *browser) nameless() (list []string) {
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value string }
			NodeID     string
		}
	}
	b.into(&tree, "Accessibility.getFullAXTree", nil)
	for _, n := range tree.Nodes {
		switch n.Role.Value {
		case "button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "tab", "gridcell":
			if !n.Ignored && strings.TrimSpace(n.Name.Value) == "" {
				list = append(list, fmt.Sprintf("%s %s", n.Role.Value, n.NodeID))
			}
		}
	}
	return list
}
