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
	check("hf_1234567-_"+secret, false)
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
