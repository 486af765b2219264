package main

// This file owns `holdfast version`.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"holdfast/timeline"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and of its time zone data",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "holdfast %s (%s, %s/%s)\ntime zone data %s\n",
				programVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, timeline.ZoneDataVersion())
			return err
		},
	}
}

// version is what a release was built as; the linker sets it.
var version string

// programVersion is the version the program was built as: that of the release, or that of its module, which the go
// command takes from the repository.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
