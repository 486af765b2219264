package model

// This file owns the test of the tally.

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryCountIsAdded holds that a tally leaves nothing out that a world has come to.
func TestEveryCountIsAdded(t *testing.T) {
	var all, sum Tally
	v := reflect.ValueOf(&all).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(i + 1))
	}
	sum.Add(all)
	require.Equal(t, all, sum)
}
