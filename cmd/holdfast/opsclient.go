package main

// This file owns how commands find what they look after: a running server, by the socket in its data directory or by
// --ops-url, or the directory of a stopped one.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// adminConfig says what is looked after.
type adminConfig struct {
	opsURL    string
	tokenFile string
	data      string
}

func (c *adminConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.data, "data", defaultData,
		"data directory: of a running server, which is found by the socket in it, or of a stopped one")
	f.StringVar(&c.opsURL, "ops-url", "",
		"ops listener of a server that has --ops-listen, like "+opsURLExample+", instead of --data")
	f.StringVar(&c.tokenFile, "ops-token-file", "", tokenFileUse+"--ops-url asks for")
}

const opsURLExample = "http://127.0.0.1:8081"

// opsServer is the ops listener of a running server.
type opsServer struct {
	base   string // of its paths
	token  string
	client *http.Client
}

// find says what a command looks after: a server, or, where that is nil, the directory of a stopped one. An option on
// the command line wins over one in the environment.
func (c *adminConfig) find(cmd *cobra.Command) (*opsServer, error) {
	switch {
	case typed(cmd, "data") && typed(cmd, "ops-url"):
		return nil, usagef("--ops-url %q and --data %q name two: give one of them", c.opsURL, c.data)
	case c.opsURL != "" && !typed(cmd, "data"):
		return c.byURL()
	case typed(cmd, "ops-token-file"):
		return nil, usagef("--ops-token-file %q is for --ops-url: the socket in a data directory takes no token",
			c.tokenFile)
	}
	if err := fitData(c.data); err != nil {
		return nil, err
	}
	return serverOf(cmd.Context(), c.data)
}

func (c *adminConfig) byURL() (*opsServer, error) {
	target, err := url.Parse(c.opsURL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, usagef("--ops-url %q must be like %s", c.opsURL, opsURLExample)
	}
	s := &opsServer{base: strings.TrimSuffix(c.opsURL, "/"), client: keyClient()}
	if c.tokenFile != "" {
		if s.token, err = readToken(c.tokenFile); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// keyClient is a client for what carries a key or a token. A proxy of the environment is asked for https alone, of
// which it sees nothing; a redirect is not followed, as it would take the key elsewhere.
func keyClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme != "https" {
			return nil, nil
		}
		return http.ProxyFromEnvironment(r)
	}
	return &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// serverOf is the server that has a directory open, nil where none answers on the socket in it.
func serverOf(ctx context.Context, dir string) (*opsServer, error) {
	name, err := shortest(filepath.Join(dir, socketName))
	if err != nil {
		return nil, nil // a server could not have made it
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", name)
	}
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("this user may not look into %s: %w", dir, err)
	}
	c, err := dial(ctx, "", "")
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the server of %s is another user's: %w", dir, err)
	case err != nil:
		return nil, nil
	}
	c.Close()
	return &opsServer{base: "http://localhost",
		client: &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}}}, nil
}

// do sends a request, whose URL begins with base.
func (s *opsServer) do(r *http.Request) (*http.Response, error) {
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("no server answers: %w", err)
	}
	if answer.StatusCode == http.StatusUnauthorized {
		answer.Body.Close()
		return nil, fmt.Errorf(
			"the server at %s takes another token: --ops-token-file names the file that it was started with", s.base)
	}
	return answer, nil
}
