package console

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds the page against its policy: what it names is served here, it runs no script but files, and asks
// nobody else.

// own are the files that were written for the console, by name.
func own(t *testing.T) map[string]string {
	all := map[string]string{}
	entries, err := fs.ReadDir(files, "app")
	require.NoError(t, err)
	for _, e := range entries {
		b, err := files.ReadFile("app/" + e.Name())
		require.NoError(t, err)
		all[e.Name()] = string(b)
	}
	return all
}

func TestWhatModulesNameIsServed(t *testing.T) {
	named := regexp.MustCompile(`(?m)^(?:import|export)\b.*\bfrom\s*"([^"\n]+)"`)
	for name := range served() {
		f, ok := Find(name)
		require.True(t, ok)
		require.NotEmpty(t, f.Type, name)
		if path.Ext(name) != ".js" || name == "uplot.js" {
			continue
		}
		for _, m := range named.FindAllStringSubmatch(string(f.Body), -1) {
			to, relative := strings.CutPrefix(m[1], "./")
			_, ok := Find(to)
			require.True(t, relative && ok, "%s imports %s", name, m[1])
		}
	}
	page, _ := Find(Index)
	for _, m := range regexp.MustCompile(`(?:src|href)="(/console/[^"]+)"`).
		FindAllStringSubmatch(string(page.Body), -1) {
		_, ok := Find(strings.TrimPrefix(m[1], "/console/"))
		require.True(t, ok, "the page names %s", m[1])
	}
	_, ok := Find("../console.go")
	require.False(t, ok)
}

// A template draws nothing of a tag that nobody knows, and says nothing.
func TestTagsAreKnown(t *testing.T) {
	parts := regexp.MustCompile(`Object\.assign\(parts, \{([^}]*)\}\)`).FindStringSubmatch(own(t)["ui.js"])
	require.Len(t, parts, 2)
	known := strings.Split(parts[1], ", ")
	used := 0
	for name, text := range own(t) {
		for _, m := range regexp.MustCompile(`<([A-Z]\w*)[\s/>]`).FindAllStringSubmatch(text, -1) {
			require.Contains(t, known, m[1], name)
			used++
		}
	}
	require.Greater(t, used, 100)
}

func TestPageKeepsToItsPolicy(t *testing.T) {
	require.NotContains(t, Policy, "unsafe")
	page := own(t)[Index]
	require.NotRegexp(t, `<script(?: type="module")?>`, page, "a script in the page itself")
	require.NotRegexp(t, `\sstyle="|\son[a-z]+="`, page)
	elsewhere := regexp.MustCompile(`(?:https?:)?//[a-z0-9-]+\.[a-z]`)
	for name, text := range own(t) {
		for _, found := range elsewhere.FindAllString(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), -1) {
			t.Errorf("%s names another host: %s", name, found)
		}
		require.NotContains(t, text, "innerHTML", name)
		require.NotRegexp(t, `\beval\(|new Function`, name)
	}
}

// What everybody who opens the page loads stays small: code, style and drawings.
func TestOwnCodeIsSmall(t *testing.T) {
	sum := 0
	for name, text := range own(t) {
		if name != Index {
			sum += len(text)
		}
	}
	t.Logf("%d bytes of own code, style and drawings", sum)
	require.Less(t, sum, 150_000)
}
