package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain gives the scripts the program itself, and ask, a client.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"holdfast": main, "ask": ask})
}

// TestScript runs the command line in testdata/script. A script has LISTEN and OPS, two free addresses, and DATA, a
// directory that is not there yet.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			var held []net.Listener
			for _, name := range []string{"LISTEN", "OPS"} {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					return err
				}
				held = append(held, l)
				e.Setenv(name, l.Addr().String())
			}
			for _, l := range held {
				l.Close()
			}
			bookings, err := os.ReadFile("../../bench/testdata/resort-hotel-bookings.csv.gz")
			if err != nil {
				return err
			}
			e.Setenv("DATA", e.WorkDir+"/data")
			e.Setenv("KEY", "hf_scripttest_"+strings.Repeat("secret", 6))
			return os.WriteFile(e.WorkDir+"/resort.csv.gz", bookings, 0o600)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// exits CODE COMMAND... runs a command that ends with exactly this exit code.
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				err := ts.Exec(args[1], args[2:]...)
				code, failed := 0, new(exec.ExitError)
				if errors.As(err, &failed) {
					code = failed.ExitCode()
				} else {
					ts.Check(err)
				}
				if strconv.Itoa(code) != args[0] {
					ts.Fatalf("exit code %d, want %s", code, args[0])
				}
			},
			// ready ADDRESS waits for a server.
			"ready": func(ts *testscript.TestScript, _ bool, args []string) {
				if err := awaitReady(args[0]); err != nil {
					ts.Fatalf("%v", err)
				}
			},
			// until REGEXP URL asks until the answer matches.
			"until": func(ts *testscript.TestScript, _ bool, args []string) {
				want := regexp.MustCompile(args[0])
				for range 6000 {
					request, err := http.NewRequest("GET", args[1], nil)
					ts.Check(err)
					request.Header.Set("X-API-KEY", ts.Getenv("KEY"))
					answer, err := http.DefaultClient.Do(request)
					ts.Check(err)
					text, err := io.ReadAll(answer.Body)
					answer.Body.Close()
					ts.Check(err)
					if want.Match(text) {
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
				ts.Fatalf("%s does not come to match %s", args[1], args[0])
			},
			// companies N FILE writes a file of customers.
			"companies": func(ts *testscript.TestScript, _ bool, args []string) {
				text := "companyName\n"
				n, err := strconv.Atoi(args[0])
				ts.Check(err)
				for i := range n {
					text += "Company " + strconv.Itoa(i) + "\n"
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
			},
			// keyfile NAME writes KEY to a file of its owner alone.
			"keyfile": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.Getenv("KEY")+"\n"), 0o600))
			},
			// modeof NAME MODE compares the mode of a file.
			"modeof": func(ts *testscript.TestScript, _ bool, args []string) {
				st, err := os.Stat(ts.MkAbs(args[0]))
				ts.Check(err)
				if got := st.Mode() &^ os.ModeSocket; got.String() != args[1] {
					ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
				}
			},
			// flip NAME changes one bit in the middle of a file.
			"flip": func(ts *testscript.TestScript, _ bool, args []string) {
				name := ts.MkAbs(args[0])
				b, err := os.ReadFile(name)
				ts.Check(err)
				b[len(b)/2] ^= 1
				ts.Check(os.WriteFile(name, b, 0o600))
			},
			// markfirst DIR KEY makes a directory look as if its first run had died between making this key and being
			// ready.
			"markfirst": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[0])+"/"+firstRunMark, []byte(strings.Split(args[1], "_")[1]),
					0o600))
			},
			// wordfrom [-LINE] NAME FILE puts the first word of a file, or of one of its lines, into a variable.
			"wordfrom": func(ts *testscript.TestScript, _ bool, args []string) {
				line := 1
				if n, numbered := strings.CutPrefix(args[0], "-"); numbered {
					line, _ = strconv.Atoi(n)
					args = args[1:]
				}
				var words []string
				if lines := strings.Split(ts.ReadFile(args[1]), "\n"); line <= len(lines) {
					words = strings.Fields(lines[line-1])
				}
				if len(words) == 0 {
					ts.Fatalf("no word in %s", args[1])
				}
				ts.Setenv(args[0], words[0])
			},
			// keyfrom NAME puts the key that a first run printed into KEY.
			"keyfrom": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, word := range strings.Fields(ts.ReadFile(args[0])) {
					if strings.HasPrefix(word, "hf_") {
						ts.Setenv("KEY", word)
						return
					}
				}
				ts.Fatalf("no key in %s", args[0])
			},
		},
	})
}

// awaitReady waits until the server at an address is ready. The limit only keeps a broken server from hanging the test.
func awaitReady(address string) error {
	var last error
	for range 600 {
		answer, err := http.Get("http://" + address + "/readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("status %d", answer.StatusCode)
		}
		last = err
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the server at %s does not become ready: %w", address, last)
}

// ask METHOD URL [BODY] sends a request with the key in KEY and prints status and answer.
func ask() {
	var body io.Reader
	if len(os.Args) > 3 {
		body = bytes.NewBufferString(os.Args[3])
	}
	request, err := http.NewRequest(os.Args[1], os.Args[2], body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("X-API-KEY", os.Getenv("KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	fmt.Printf("%d %s\n", answer.StatusCode, text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
