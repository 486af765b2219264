package webhook

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds what is said of an endpoint when it is set.

func TestWhatWouldBeRefusedIsSoWhenItIsSet(t *testing.T) {
	closed := ClientOptions{Resolver: resolver(func(name string, _ int) []string {
		t.Errorf("%s is looked up: what this machine knows of it is nobody's business", name)
		return nil
	})}
	open := closed
	open.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8")}
	for address, want := range map[string][2]string{ // without an allowed network, and with two
		"https://8.8.8.8/x":                 {},
		"https://public.example.com":        {},
		"https://public.example.com./":      {},
		"https://public.example.com:8443/":  {"port"},
		"https://8.8.8.8:444/":              {"port", "port"},
		"https://[2606:4700:4700::1111]/":   {},
		"https://10.1.2.3/":                 {"inner"},
		"https://10.1.2.3:9000/":            {"inner"},
		"https://192.168.1.1/":              {"inner", "inner"},
		"https://[::1]/":                    {"inner", "inner"},
		"https://[::ffff:10.0.0.1]/":        {"inner"},
		"https://169.254.169.254/latest":    {"inner", "inner"},
		"https://localhost/":                {"inner"},
		"https://LOCALHOST.:8443/":          {"inner"},
		"https://a.localhost/":              {"inner"},
		"https://vm/":                       {"inner"},
		"https://nosuchhost-xyz/":           {"inner"},
		"https://erp.corp.INTERNAL:81/":     {"inner"},
		"https://printer.local./":           {"inner"},
		"https://box.home.arpa/":            {"inner"},
		"https://local.example.com/":        {},
		"https://metadata.google.internal/": {"inner"},
	} {
		for i, o := range []ClientOptions{closed, open} {
			why := o.Refuses(address)
			switch want[i] {
			case "":
				require.Empty(t, why, "%s %d", address, i)
			case "port":
				require.Contains(t, why, "port 443", "%s %d", address, i)
			default:
				require.Contains(t, why, "inner network", "%s %d", address, i)
			}
		}
	}
}

// A name that leads to an inner address fails as one does that leads nowhere.
func TestAnInnerNameIsLikeNone(t *testing.T) {
	c := NewClient(ClientOptions{Resolver: resolver(func(name string, _ int) []string {
		return map[string][]string{"erp.example.com": {"10.0.0.1"}}[name]
	})})
	inner, none := call(c, "https://erp.example.com/"), call(c, "https://none.example.com/")
	require.NotEmpty(t, inner.Error)
	require.Equal(t, none.Error, inner.Error)
}
