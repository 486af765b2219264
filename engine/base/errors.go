package base

import "fmt"

// This file owns the catalogue of refusals: every reason for which the engine says no, once.

// Code is the stable name of a refusal. Integrators branch on it, so a code is never renamed or reused.
type Code string

// The codes a command or a read can be refused with. The api room maps each to its HTTP status in one table.
const (
	CodeInvalid           Code = "INVALID_ARGUMENTS"
	CodeMalformed         Code = "MALFORMED_JSON"
	CodeVersion           Code = "UNSUPPORTED_API_VERSION"
	CodeUnauthenticated   Code = "UNAUTHENTICATED"
	CodeKeyExpired        Code = "KEY_EXPIRED"
	CodeKeyRevoked        Code = "KEY_REVOKED"
	CodeMissingScope      Code = "MISSING_SCOPE"
	CodeDeniedFields      Code = "DENIED_FIELDS"
	CodeNotFound          Code = "NOT_FOUND"
	CodeMethodNotAllowed  Code = "METHOD_NOT_ALLOWED"
	CodeBodyTooLarge      Code = "BODY_TOO_LARGE"
	CodeMediaType         Code = "UNSUPPORTED_MEDIA_TYPE"
	CodeURITooLong        Code = "URI_TOO_LONG"
	CodeHeadersTooLarge   Code = "HEADERS_TOO_LARGE"
	CodeConflict          Code = "CONFLICT"
	CodeInsufficient      Code = "INSUFFICIENT_AVAILABILITY"
	CodeQuantityBlocked   Code = "QUANTITY_CHANGE_BLOCKED"
	CodePlanChanged       Code = "PLAN_CHANGED"
	CodeSubstitute        Code = "SUBSTITUTE_NEEDED"
	CodeHoldExpired       Code = "HOLD_EXPIRED"
	CodeIdempotencyInUse  Code = "IDEMPOTENCY_KEY_IN_USE"
	CodeStateNotAllowed   Code = "STATE_NOT_ALLOWED"
	CodeInUse             Code = "IN_USE"
	CodeCursorGone        Code = "CURSOR_GONE"
	CodeSnapshotGone      Code = "SNAPSHOT_GONE"
	CodePrecondition      Code = "PRECONDITION_FAILED"
	CodeIdempotencyReused Code = "IDEMPOTENCY_KEY_REUSED"
	CodeRateLimited       Code = "RATE_LIMITED"
	CodeMonthlyCap        Code = "MONTHLY_CAP"
	CodeInternal          Code = "INTERNAL"
	CodeNotReady          Code = "NOT_READY"
	CodeOverloaded        Code = "OVERLOADED"
	CodeStorageFailed     Code = "STORAGE_FAILED"

	CodeDiscountNotFound      Code = "DISCOUNT_NOT_FOUND"
	CodeDiscountExpired       Code = "DISCOUNT_EXPIRED"
	CodeDiscountNotStarted    Code = "DISCOUNT_NOT_STARTED"
	CodeDiscountUsageLimit    Code = "DISCOUNT_USAGE_LIMIT"
	CodeDiscountNotApplicable Code = "DISCOUNT_NOT_APPLICABLE"
	CodeDiscountApplied       Code = "DISCOUNT_ALREADY_APPLIED"
	CodeDiscountNoEffect      Code = "DISCOUNT_NO_EFFECT"
)

// Fault is one thing wrong with an input. Pointer is a JSON pointer into the inputs of the operation (`/lines/0/from`).
// In is empty for what the engine finds. The interface says with it which of body, query, path and header has the
// value; but for the body, Pointer then is the name there.
type Fault struct {
	In      string
	Pointer string
	Code    string
	Message string
	Hangs   string // the pointer of another value: where that could not be read, this may be no fault
}

// Error is a refusal of the catalogue. It is a value: two refusals of the same cause are equal except for their
// details. Details, if set, is one of the exported *Details types below or a map that encodes to a JSON object.
type Error struct {
	Code    Code
	Detail  string
	Faults  []Fault
	Details any
}

// Error is the text for people.
func (e *Error) Error() string {
	if len(e.Faults) > 0 {
		return fmt.Sprintf("%s: %s (%s: %s)", e.Code, e.Detail, e.Faults[0].Pointer, e.Faults[0].Message)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

// Is makes errors.Is(err, &Error{Code: c}) a test of the code alone.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Shortage says why one line of a request for stock was refused, given the lines seated before it.
type Shortage struct {
	Line      int    // index of the line in the request
	Requested int    // units asked for
	Available int    // units that could have been held
	Reason    string // not_enough_stock | fragmented_by_pinned_holds
	// of the holds over the instant with the least free units the first by start, then id: at most 20, and 1,000 of all
	// lines
	Blockers []ID
	Blocking int // how many such holds there are
	// the next window of the same length in which the line would succeed; nil if there is none in the search range, or
	// for lines after the first 50
	Next *Span
}

// ShortageDetails is the Details of INSUFFICIENT_AVAILABILITY.
type ShortageDetails struct {
	Lines []Shortage
	// whether it was looked for what stands in the way and for the next windows: else there are none, and Available is
	// still right
	Explained bool
}

// UnknownOutcomeDetails is the Details of STORAGE_FAILED when the command may or may not be found done after a restart.
type UnknownOutcomeDetails struct{}

// StateDetails is the Details of STATE_NOT_ALLOWED: the state met, and what it allows.
type StateDetails struct {
	State   string
	Allowed []string
}

// HoldDetails is the Details of HOLD_EXPIRED: the hold that has.
type HoldDetails struct{ ID ID }

// InUseDetails is the Details of IN_USE: what kind of resource refers to the record, and how many of it.
type InUseDetails struct {
	Resource string // catalogItem | hold
	Count    int
}

// Refuse makes a refusal with a code and a text.
func Refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// NotFound refuses for want of a record.
func NotFound(kind string) *Error {
	return Refuse(CodeNotFound, "no %s with this id", kind)
}

// Invalid refuses inputs by their faults.
func Invalid(faults []Fault) *Error {
	return &Error{Code: CodeInvalid, Detail: "the request has faults; errors names them all", Faults: faults}
}

// InvalidAt refuses inputs by one fault.
func InvalidAt(pointer, code, message string) *Error {
	return Invalid([]Fault{{Pointer: pointer, Code: code, Message: message}})
}

// NotAllowed refuses what the state of a record does not allow.
func NotAllowed(detail, state string, allowed ...string) *Error {
	return &Error{Code: CodeStateNotAllowed, Detail: detail,
		Details: StateDetails{State: state, Allowed: append([]string{}, allowed...)}}
}
