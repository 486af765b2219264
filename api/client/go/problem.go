package holdfast

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// This file owns refusals as errors. The type Problem is generated: types.go.

// Error says what was refused and why, with every fault of the request.
func (p *Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "holdfast: %d", p.Status)
	if p.Code != "" {
		fmt.Fprintf(&b, " %s", p.Code)
	}
	if says := cmp.Or(p.Detail, p.Title); says != "" {
		fmt.Fprintf(&b, ": %s", says)
	}
	for _, f := range p.Errors {
		fmt.Fprintf(&b, "; %s %s: %s", f.In, f.Pointer, f.Message)
	}
	if p.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", p.RequestID)
	}
	return b.String()
}

// Is lets errors.Is compare a refusal with a code: errors.Is(err, holdfast.CodeNotFound).
func (p *Problem) Is(target error) bool {
	code, ok := target.(ProblemCode)
	return ok && p.Code == code
}

// Error makes a code comparable by errors.Is.
func (c ProblemCode) Error() string { return string(c) }

// readProblem reads a refusal. An answer that is not the service's own, such as a proxy's page, gives a status and a
// title, and no code.
func readProblem(a *http.Response, text []byte) *Problem {
	p := &Problem{}
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if kind != "application/problem+json" || json.Unmarshal(text, p) != nil {
		p = &Problem{Title: http.StatusText(a.StatusCode)}
	}
	p.Status = int64(a.StatusCode)
	return p
}

// details reads the details of a problem with one of the codes.
func details[T any](p *Problem, codes ...ProblemCode) (*T, bool) {
	if !slices.Contains(codes, p.Code) {
		return nil, false
	}
	d := new(T)
	return d, json.Unmarshal(p.Details, d) == nil
}
