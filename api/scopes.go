package api

import (
	"slices"

	"holdfast/api/auth"
	"holdfast/engine/base"
)

// This file owns the scopes that a request needs in addition to those of its operation. They depend on what the request
// names, which is known once its input was read. They are checked after all faults and before the command
// (operation.go).

// may says whether the key has a scope, by itself or by one above it.
func (q *request) may(scope string) bool {
	return len(q.key.Scopes) == 0 || auth.Allows(q.key.Scopes, []string{scope})
}

// need notes that what the request names needs a scope.
func (q *request) need(scope string) {
	if !q.may(scope) && !slices.Contains(q.lacks, scope) {
		q.lacks = append(q.lacks, scope)
	}
}

// lacking is the refusal of a command, or of a read without one, for which the key lacks what was noted, nil if it
// lacks nothing. Faults of the command come first.
func (q *request) lacking(op base.Op) error {
	if len(q.lacks) == 0 {
		return nil
	}
	if op == nil {
		return q.missing()
	}
	if faults := q.view.Check(op); len(faults) > 0 {
		return invalid(faults)
	}
	return q.missing()
}

func (q *request) missing() *base.Error {
	return &base.Error{
		Code: base.CodeMissingScope, Detail: "the key lacks a scope that this record requires",
		Details: map[string]any{"requiredScopes": slices.Clone(q.lacks)},
	}
}
