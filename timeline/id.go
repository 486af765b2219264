package timeline

import "github.com/google/uuid"

// This file owns the text form of ids.

// AppendTo appends the 36-character lower-case form without allocating.
func (a ID) AppendTo(dst []byte) []byte {
	const digits = "0123456789abcdef"
	for i, b := range a {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return dst
}

// String is the 36-character lower-case form.
func (a ID) String() string { return uuid.UUID(a).String() }

// MarshalText makes an id a JSON string in stored rows.
func (a ID) MarshalText() ([]byte, error) { return a.AppendTo(nil), nil }

// UnmarshalText reads what MarshalText wrote.
func (a *ID) UnmarshalText(b []byte) error {
	u, err := uuid.ParseBytes(b)
	*a = ID(u)
	return err
}
