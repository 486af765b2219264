//go:build s3

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/persist/backup/s3test"
)

// TestRealS3LostMachine is TestALostMachineComesBack with the bucket of a real service.
func TestRealS3LostMachine(t *testing.T) {
	g, err := s3test.NewGateway(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { g.Kill() })
	lostMachine(inBucket(t, g.URL))
}
