package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds the pages against each other, against the files beside them, and against what their policy lets them
// do.

var (
	links   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idsOf   = regexp.MustCompile(` id="([^"]*)"`)
	sources = regexp.MustCompile(`\]\(([^)]*)\)`)
	blocks  = regexp.MustCompile("(?ms)^```(\\w+) (\\S+)\n(.*?)^```$")
)

// Each page is in the list, and the first page names each with its title.
func TestEveryPageIsListed(t *testing.T) {
	found, err := filepath.Glob("*.md")
	require.NoError(t, err)
	var names []string
	for _, f := range found {
		if name := strings.TrimSuffix(f, ".md"); name != First {
			names = append(names, name)
		}
	}
	require.ElementsMatch(t, names, Names)
	list := string(read(First + ".md"))
	at := 0
	for _, name := range Names {
		p := render(name)
		require.NotEmpty(t, p.title, name)
		link := fmt.Sprintf("[%s](%s.md)", p.title, name)
		require.Contains(t, list[at:], link, "in the order in which they are to be read")
		at = strings.Index(list, link)
	}
}

// Each link leads somewhere, as it is served and as a file, and so does each anchor.
func TestLinksLeadSomewhere(t *testing.T) {
	elsewhere := []string{"/openapi.json"}
	ids := map[string][]string{}
	for name, f := range served() {
		for _, m := range idsOf.FindAllStringSubmatch(string(f.Body), -1) {
			ids[name] = append(ids[name], m[1])
		}
	}
	count := 0
	for name, f := range served() {
		if f.Type != HTML {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(string(f.Body), -1) {
			count++
			file, anchor, _ := strings.Cut(m[1], "#")
			if slices.Contains(elsewhere, file) {
				continue
			}
			to := name
			if file == "/docs" {
				to = First
			} else if file != "" {
				var ok bool
				to, ok = strings.CutPrefix(file, "/docs/")
				require.True(t, ok, "%s: %s leads out of the pages", name, m[1])
			}
			_, ok := Find(to)
			require.True(t, ok, "%s: there is no %s", name, m[1])
			if anchor != "" {
				require.Contains(t, ids[to], anchor, "%s: %s", name, m[1])
			}
		}
	}
	require.Greater(t, count, 200)
	for _, name := range append(slices.Clone(Names), First) {
		for _, m := range sources.FindAllStringSubmatch(string(read(name+".md")), -1) {
			if file, _, _ := strings.Cut(m[1], "#"); file != "" {
				_, err := os.Stat(file)
				require.NoError(t, err, name)
			}
		}
	}
}

// A page's blocks that name a file are parts of that file.
func TestBlocksAreOfTheirFiles(t *testing.T) {
	named := map[string]bool{}
	for _, name := range Names {
		for _, m := range blocks.FindAllStringSubmatch(string(read(name+".md")), -1) {
			text, err := os.ReadFile(m[2])
			require.NoError(t, err, name)
			require.Contains(t, string(text), m[3], "%s: the block is not in %s", name, m[2])
			named[m[2]] = true
		}
	}
	for _, language := range []string{"js", "py", "go", "php"} {
		require.Contains(t, named, "examples/webhooks/verify."+language)
	}
	require.Contains(t, named, "examples/shop/main.go")
}

// The policies let no script of a page run, and no page needs one, a style of its own or anything from elsewhere.
func TestPagesKeepToTheirPolicy(t *testing.T) {
	require.NotContains(t, PagePolicy, "script-src")
	require.NotContains(t, PagePolicy, "unsafe")
	require.NotContains(t, strings.ReplaceAll(ReferencePolicy, "style-src 'self' 'unsafe-inline'", ""), "unsafe")
	for _, policy := range []string{PagePolicy, ReferencePolicy} {
		require.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
		require.NotContains(t, policy, "http")
		require.NotContains(t, policy, "*")
	}
	forbidden := regexp.MustCompile(
		`(?i)<style|<script[^>]*>[^<]|\son[a-z]+="|\sstyle="|@import|url\(|src="(https?:)?//|raw HTML omitted`)
	for name, f := range served() {
		if f.Type == HTML || f.Type == css {
			require.NotRegexp(t, forbidden, string(f.Body), name)
		}
		if name != Reference && f.Type == HTML {
			require.NotContains(t, string(f.Body), "<script", name)
		}
	}
}

// What is served is known by its name, and nothing else is.
func TestFilesAreFound(t *testing.T) {
	for name, kind := range map[string]string{First: HTML, "start": HTML, Reference: HTML, "style.css": css,
		"icon.svg": svg, "reference.js": script} {
		f, ok := Find(name)
		require.True(t, ok, name)
		require.Equal(t, kind, f.Type)
		require.NotEmpty(t, f.Body)
		require.Equal(t, name == "reference.js", f.Gzip)
	}
	for _, name := range []string{"", "nothing", "start.md", "../start", "frame.html", "doc.go"} {
		_, ok := Find(name)
		require.False(t, ok, name)
	}
}

// The pages are text that a person can read in an editor: no line is longer than the project's, but those of tables and
// answers.
func TestProseIsWrapped(t *testing.T) {
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		code := false
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			long := len([]rune(line)) > 180 && !code && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "**")
			require.False(t, long, "%s:%d", name, i+1)
		}
		return nil
	}))
}
