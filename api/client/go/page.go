package holdfast

import (
	"iter"
	"net/http"
	"slices"
	"strings"
)

// This file owns the way through the pages of a list.

// each asks for one page after the other, as long as an answer has a link to the next.
func each[T any](
	first int64, options []RequestOption, get func(int64, []RequestOption) ([]T, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page := max(first, 1); ; page++ {
			var header http.Header
			records, err := get(page, append(slices.Clip(options), ResponseHeader(&header)))
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
			if len(records) == 0 || !strings.Contains(header.Get("Link"), `rel="next"`) {
				return
			}
		}
	}
}
