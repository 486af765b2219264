package holdfast

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// This file owns how values are written into a query. Empty values are left out.

type query struct {
	values url.Values
	err    error // a value cannot be written
}

func addText[T ~string](to *query, name string, value T) {
	if value != "" {
		to.values.Add(name, string(value))
	}
}

func addTexts[T ~string](to *query, name string, values []T) {
	for _, value := range values {
		to.values.Add(name, string(value))
	}
}

func addNumber(to *query, name string, value int64) {
	if value != 0 {
		to.values.Add(name, strconv.FormatInt(value, 10))
	}
}

func addBoolean(to *query, name string, value *bool) {
	if value != nil {
		to.values.Add(name, strconv.FormatBool(*value))
	}
}

func addInstant(to *query, name string, at time.Time) {
	if !at.IsZero() {
		to.values.Add(name, at.Format(time.RFC3339Nano))
	}
}

// addObject writes the members of an object as name[member].
func addObject[T any](to *query, name string, value *T) {
	if value != nil {
		addMembers(to, name, value)
	}
}

// addObjects writes the members of objects as name[0][member].
func addObjects[T any](to *query, name string, values []T) {
	for i := range values {
		addMembers(to, fmt.Sprintf("%s[%d]", name, i), &values[i])
	}
}

// addMembers goes by the JSON of an object, which names its members and leaves out what is not set.
func addMembers(to *query, name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		to.err = errors.Join(to.err, fmt.Errorf("%s: %w", name, err))
		return
	}
	var members map[string]any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	to.err = errors.Join(to.err, d.Decode(&members))
	for member, value := range members {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, one := range list {
			to.values.Add(name+"["+member+"]", fmt.Sprint(one))
		}
	}
}
