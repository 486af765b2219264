package timeline

import (
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Ids are written as the library writes them.
func TestTextOfIDs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 2000 {
		var id ID
		for i := range id {
			if id[i] = byte(rng.Uint32()); n < 256 {
				id[i] = byte(n)
			}
		}
		require.Equal(t, "x"+uuid.UUID(id).String(), string(id.AppendTo([]byte("x"))))
	}
}
