package engine

// This file owns who refers to a record, which keeps it from being removed.

// inUse refuses to remove what n of a resource refer to; nil where none does.
func inUse(resource string, n int) error {
	if n == 0 {
		return nil
	}
	return &Error{Code: CodeInUse, Detail: "something refers to the record; details says what", Details: InUseDetails{resource, n}}
}
