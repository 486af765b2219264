//go:build docs

package webhooks

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file runs the other languages on the same cases, where they are installed; in CI one that is missing is a
// failure.

func TestLanguages(t *testing.T) {
	for command, file := range map[string]string{"node": "run.js", "python3": "run.py", "php": "run.php"} {
		t.Run(command, func(t *testing.T) {
			if _, err := exec.LookPath(command); err != nil {
				require.Empty(t, os.Getenv("CI"), "%s is missing", command)
				t.Skipf("%s is missing: %s is not run", command, file)
			}
			c := exec.Command(command, file)
			c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
