package webhook

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds what is said of an endpoint when it is set against what becomes of it when it is dialled.

func TestWhatWouldBeRefusedIsSoWhenItIsSet(t *testing.T) {
	names := map[string][]string{
		"public.test": {"8.8.8.8"}, "inner.test": {"10.0.0.1"}, "both.test": {"10.0.0.1", "1.1.1.1"},
		"six.test": {"fd00::1"},
	}
	o := ClientOptions{Resolver: resolver(func(name string, _ int) []string { return names[name] })}
	open := o
	open.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8")}
	for address, want := range map[string][2]string{ // without an allowed network, and with two
		"https://8.8.8.8/x":               {},
		"https://public.test":             {},
		"https://public.test./":           {},
		"https://both.test/":              {},
		"https://nowhere.test/":           {},
		"https://nowhere.test:8443/":      {"port"},
		"https://public.test:8443/":       {"port", "port"},
		"https://8.8.8.8:444/":            {"port", "port"},
		"https://[2606:4700:4700::1111]/": {},
		"https://10.1.2.3/":               {"inner"},
		"https://10.1.2.3:9000/":          {"inner"},
		"https://192.168.1.1/":            {"inner", "inner"},
		"https://[::1]/":                  {"inner", "inner"},
		"https://[::ffff:10.0.0.1]/":      {"inner"},
		"https://169.254.169.254/latest":  {"inner", "inner"},
		"https://localhost/":              {"inner"},
		"https://LOCALHOST.:8443/":        {"inner"},
		"https://a.localhost/":            {"inner"},
		"https://inner.test/":             {"inner"},
		"https://INNER.test:81/":          {"inner"},
		"https://six.test/":               {"inner", "inner"},
	} {
		for i, o := range []ClientOptions{o, open} {
			why := o.Refuses(t.Context(), address)
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
