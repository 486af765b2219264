package workload

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// This file owns chance: where random commands get their choices from.

// Dice draws choices. Label names the choice, for a person who reads a failing run.
type Dice interface {
	// N draws a number from 0 to n-1.
	N(label string, n int) int
}

// Seeded is a source of choices with a seed.
type Seeded struct{ *rand.Rand }

// N draws a number from 0 to n-1.
func (s Seeded) N(_ string, n int) int { return s.IntN(n) }

// Roll draws dice from rapid, one throw for all choices of a step: rapid's own numbers prefer small ones, which makes
// every run alike. A failing run is made smaller by leaving steps out.
func Roll(t *rapid.T) Seeded {
	a, b := rapid.Uint64().Draw(t, "dice"), rapid.Uint64().Draw(t, "more dice")
	return Seeded{rand.New(rand.NewPCG(a, b))}
}

func pick[T any](d Dice, label string, list []T) T { return list[d.N(label, len(list))] }

// odds is true n times in 100.
func odds(d Dice, label string, n int) bool { return d.N(label, 100) < n }
