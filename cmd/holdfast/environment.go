package main

// This file owns the environment: which variables the program takes, and what it says of others that look like its own.

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const twinPrefix = "HOLDFAST_"

// variables are the names of all that any command below one takes from the environment.
func variables(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, twinOf(f.Name)) })
	for _, sub := range cmd.Commands() {
		names = append(names, variables(sub)...)
	}
	return names
}

// warnOfVariables names what is set and begins like a variable of the program, but is none: mostly a misspelt one. It
// is a warning and no fault, as others may set such variables, too: Kubernetes does for a service that is called
// holdfast.
func warnOfVariables(root *cobra.Command, environment []string, errs io.Writer) {
	known := append(variables(root), bootstrapVariable)
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, twinPrefix) || value == "" || slices.Contains(known, name) || ofService(name) {
			continue
		}
		nearest, least := "", 4 // further off it is another word
		for _, k := range known {
			// Of equal ones it is the longest: a letter is sooner left out than put in.
			if d := distance(name, k); d < least || d == least && nearest != "" && len(k) > len(nearest) {
				nearest, least = k, d
			}
		}
		if nearest != "" {
			nearest = "; " + nearest + " is one"
		}
		fmt.Fprintf(errs, "holdfast: %s is set, which is no variable of this program%s\n", name, nearest)
	}
}

// ofService says that a variable is one of those that Kubernetes sets for a service that is called holdfast.
func ofService(name string) bool {
	rest := strings.TrimPrefix(name, twinPrefix)
	return strings.HasPrefix(rest, "SERVICE_") || strings.HasPrefix(rest, "PORT")
}

// distance is how many letters have to be put in, taken out or changed to make one word of another (Levenshtein, 1966).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0]++
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
