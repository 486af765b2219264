package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	secret := strings.Repeat("aZ09", 8)
	check := func(text string, want bool) {
		t.Helper()
		id, s, ok := Parse([]byte(text))
		require.Equal(t, want, ok, text)
		if ok {
			require.Equal(t, text, "hf_"+string(id)+"_"+string(s))
		}
	}
	check("hf_12345678_"+secret, true)
	check("hf_"+strings.Repeat("x", 32)+"_"+strings.Repeat("y", 64), true)
	check("hf_1234567_"+secret, false)
	check("hf_"+strings.Repeat("x", 33)+"_"+secret, false)
	check("hf_12345678_"+secret[1:], false)
	check("hf_12345678_"+strings.Repeat("y", 65), false)
	check("HF_12345678_"+secret, false)
	for _, c := range "-/:@[`{" {
		check("hf_1234567"+string(c)+"_"+secret, false)
	}
	check("hf_12345678_"+secret[1:]+"_", false)
	check("hf_12345678"+secret, false)
	check("12345678_"+secret, false)
	check("", false)
	check(strings.Repeat("hf_", 3400), false)
}

func TestAllows(t *testing.T) {
	check := func(held, needed string, want bool) {
		t.Helper()
		require.Equal(t, want, Allows(strings.Fields(held), strings.Fields(needed)), "%q for %q", held, needed)
	}
	check("inventory.skus.read", "inventory.skus.read", true)
	check("inventory.skus.write", "inventory.skus.read", true)
	check("inventory.skus.read", "inventory.skus.write", false)
	check("inventory.read", "inventory.skus.read", true)
	check("inventory.write", "inventory.stock_items.write", true)
	check("inventory.skus.read", "inventory.read", false)
	check("inventory.sku.read", "inventory.skus.read", false)
	check("locations.read orders.write", "customers.read orders.details.read", true)
	check("locations.read", "customers.read orders.details.read", false)
	check("", "locations.read", false)
	check("read", "locations.read", false)
	check("locations", "locations.read", false)
}

func TestDrawnKeysParse(t *testing.T) {
	seen, keys := map[rune]int{}, map[string]bool{}
	for range 200 {
		key := Draw()
		require.Regexp(t, `^hf_[0-9A-Za-z]{12}_[0-9A-Za-z]{40}$`, key)
		id, _, ok := Parse([]byte(key))
		require.True(t, ok)
		require.True(t, strings.HasPrefix(key, Prefix(string(id))+"_"))
		require.False(t, keys[key])
		keys[key] = true
		for _, c := range key[3:] {
			seen[c]++
		}
	}
	require.Len(t, seen, 63) // letters, digits and the underscore
}

func TestScopes(t *testing.T) {
	for _, scope := range Scopes {
		require.True(t, Known(scope))
		area, mode := cut(scope)
		require.Contains(t, []string{"read", "write"}, mode)
		if above, _, below := strings.Cut(area, "."); below {
			require.Contains(t, areas, above)
		}
	}
	require.Len(t, Scopes, 2*32-3)
	for _, scope := range []string{
		"", "read", ".read", "tasks", "tasks.", "tasks.admin", "Tasks.read", "tasks.read ", "stock_items.read",
		"inventory.stock_items", "orders.refunds.read",
		"reports.write", "account.write", "settings.emails.read", "inventory..read", "*",
		"settings.payments.methods.x.read",
	} {
		require.False(t, Known(scope), scope)
	}
	for _, scope := range []string{"tasks.write", "reports.read", "account.read", "settings.emails.write",
		"settings.payments.accounts.write", "inventory.write"} {
		require.True(t, Known(scope), scope)
	}
}

func TestEventScopesAreScopes(t *testing.T) {
	require.True(t, Known(EventScope("order.created")))
	for _, event := range []string{"conflict.created", "hold.expired", "unit.overdue", "webhook.disabled"} {
		require.True(t, Known(EventScope(event)), event)
		require.False(t, MayReceive([]string{"orders.read", "customers.read"}, event), event)
	}
	require.True(t, MayReceive([]string{"inventory.read"}, "conflict.resolved"))
	require.True(t, MayReceive(nil, "order.created"))
	require.True(t, MayReceive([]string{"orders.read"}, "order.deleted"))
	require.False(t,
		MayReceive([]string{"settings.webhooks.write", "customers.write", "orders.payments.write"}, "order.updated"))
	require.False(t, MayReceive(Scopes, "stock.changed"), "no type of event is told by itself")
}

// FuzzParse takes any text apart as a key. What is taken apart is put together again as it was.
func FuzzParse(f *testing.F) {
	f.Add([]byte("hf_12345678_" + strings.Repeat("aZ09", 8)))
	f.Add([]byte("hf__"))
	f.Fuzz(func(t *testing.T, text []byte) {
		id, secret, ok := Parse(text)
		if ok {
			require.Equal(t, string(text), "hf_"+string(id)+"_"+string(secret))
			require.LessOrEqual(t, len(text), 3+32+1+64)
		}
	})
}
