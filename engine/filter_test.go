package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the test of filters: every operator with every format, by a table of what passes.

// Today is 2025-10-09 in Lisbon, where the day begins at 23:00 UTC.
var filterCases = []struct {
	format   AttributeFormat
	operator Operator
	values   []any // operands
	pass     []any // values that pass, nil for none
	fail     []any
}{
	{FormatText, StartsWith, []any{"DR"}, []any{"Drill", "dr"}, []any{"a drill", "d", nil}},
	{FormatText, StartsWith, []any{"x", "dr"}, []any{"Drill", "x"}, []any{"a", nil}},
	{FormatText, EndsWith, []any{"LL"}, []any{"Drill"}, []any{"drills", "l", nil}},
	{FormatText, Contains, []any{"RIL"}, []any{"Drill", "ril"}, []any{"rl", nil}},
	{FormatText, Contains, []any{"É"}, []any{"caf\u00e9"}, []any{"cafe", nil}},
	{FormatText, DoesNotContain, []any{"ril", "X"}, []any{"rl", nil}, []any{"Drill", "x"}},
	{FormatText, Equal, []any{"Drill", "saw"}, []any{"DRILL", "Saw"}, []any{"drills", nil}},
	{FormatText, NotEqual, []any{"drill", "saw"}, []any{"drills", nil}, []any{"Drill", "SAW"}},
	{FormatText, InArray, []any{"drill", "saw"}, []any{"Drill", "SAW"}, []any{"drills", nil}},
	{FormatText, NotInArray, []any{"drill", "saw"}, []any{"drills", nil}, []any{"Drill", "SAW"}},
	{FormatText, IsEmpty, nil, []any{nil}, []any{"x"}},
	{FormatText, IsNotEmpty, nil, []any{"x"}, []any{nil}},

	{FormatNumber, Equal, []any{1.5, -2.0}, []any{1.5, -2.0}, []any{1.0, nil}},
	{FormatNumber, NotEqual, []any{1.5, -2.0}, []any{1.0, nil}, []any{1.5, -2.0}},
	{FormatNumber, Greater, []any{2.0, 5.0}, []any{2.5, 9.0}, []any{2.0, nil}},
	{FormatNumber, GreaterOrEqual, []any{2.0}, []any{2.0, 9.0}, []any{1.9, nil}},
	{FormatNumber, Less, []any{2.0}, []any{1.9, -5.0}, []any{2.0, nil}},
	{FormatNumber, LessOrEqual, []any{2.0}, []any{2.0}, []any{2.1, nil}},
	{FormatNumber, InArray, []any{1.0, 2.0}, []any{1.0, 2.0}, []any{3.0, nil}},
	{FormatNumber, NotInArray, []any{1.0, 2.0}, []any{3.0, nil}, []any{1.0, 2.0}},
	{FormatNumber, Between, []any{1.0, 2.0}, []any{1.0, 1.5, 2.0}, []any{0.9, 2.1, nil}},
	{FormatNumber, NotBetween, []any{1.0, 2.0}, []any{0.9, 2.1, nil}, []any{1.0, 1.5, 2.0}},
	{FormatNumber, IsEmpty, nil, []any{nil}, []any{0.0}},
	{FormatNumber, IsNotEmpty, nil, []any{0.0}, []any{nil}},

	{FormatBoolean, Equal, []any{true}, []any{true}, []any{false, nil}},
	{FormatBoolean, NotEqual, []any{true}, []any{false, nil}, []any{true}},
	{FormatBoolean, InArray, []any{true, false}, []any{true, false}, []any{nil}},
	{FormatBoolean, NotInArray, []any{true, false}, []any{nil}, []any{true, false}},
	{FormatBoolean, IsEmpty, nil, []any{nil}, []any{false}},
	{FormatBoolean, IsNotEmpty, nil, []any{false}, []any{nil}},

	{FormatDate, Equal, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-08", nil}},
	{FormatDate, NotEqual, []any{"2025-10-09"}, []any{"2025-10-08", nil}, []any{"2025-10-09"}},
	{FormatDate, Greater, []any{"2025-10-09"}, []any{"2025-10-10"}, []any{"2025-10-09", nil}},
	{FormatDate, GreaterOrEqual, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-08", nil}},
	{FormatDate, Less, []any{"2025-10-09"}, []any{"1969-12-31"}, []any{"2025-10-09", nil}},
	{FormatDate, LessOrEqual, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-10", nil}},
	{FormatDate, InArray, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-10", nil}},
	{FormatDate, NotInArray, []any{"2025-10-09"}, []any{"2025-10-10", nil}, []any{"2025-10-09"}},
	{FormatDate, Between, []any{"2025-10-01", "2025-10-31"}, []any{"2025-10-01", "2025-10-31"}, []any{"2025-11-01", nil}},
	{FormatDate, NotBetween, []any{"2025-10-01", "2025-10-31"}, []any{"2025-11-01", nil}, []any{"2025-10-01", "2025-10-31"}},
	{FormatDate, IsEmpty, nil, []any{nil}, []any{"2025-10-09"}},
	{FormatDate, IsNotEmpty, nil, []any{"2025-10-09"}, []any{nil}},
	{FormatDate, IsToday, nil, []any{"2025-10-09"}, []any{"2025-10-08", "2025-10-10", nil}},
	{FormatDate, IsBeforeToday, nil, []any{"2025-10-08"}, []any{"2025-10-09", nil}},
	{FormatDate, IsAfterToday, nil, []any{"2025-10-10"}, []any{"2025-10-09", nil}},

	{FormatDatetime, Equal, []any{"2025-10-09T12:00:00+02:00"}, []any{"2025-10-09T10:00:00.000Z"}, []any{"2025-10-09T10:00:00.001Z", nil}},
	{FormatDatetime, NotEqual, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.001Z", nil}, []any{"2025-10-09T10:00:00.000Z"}},
	{FormatDatetime, Greater, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.001Z"}, []any{"2025-10-09T10:00:00.000Z", nil}},
	{FormatDatetime, GreaterOrEqual, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.000Z"}, []any{"2025-10-09T09:59:59.999Z", nil}},
	{FormatDatetime, Less, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T09:59:59.999Z"}, []any{"2025-10-09T10:00:00.000Z", nil}},
	{FormatDatetime, LessOrEqual, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.000Z"}, []any{"2025-10-09T10:00:00.001Z", nil}},
	{FormatDatetime, InArray, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.000Z"}, []any{nil}},
	{FormatDatetime, NotInArray, []any{"2025-10-09T10:00:00Z"}, []any{nil}, []any{"2025-10-09T10:00:00.000Z"}},
	{FormatDatetime, Between, []any{"2025-10-09T10:00:00Z", "2025-10-09T11:00:00Z"}, []any{"2025-10-09T11:00:00.000Z"}, []any{"2025-10-09T11:00:00.001Z", nil}},
	{FormatDatetime, NotBetween, []any{"2025-10-09T10:00:00Z", "2025-10-09T11:00:00Z"}, []any{"2025-10-09T11:00:00.001Z", nil}, []any{"2025-10-09T11:00:00.000Z"}},
	{FormatDatetime, IsEmpty, nil, []any{nil}, []any{"2025-10-09T10:00:00.000Z"}},
	{FormatDatetime, IsNotEmpty, nil, []any{"2025-10-09T10:00:00.000Z"}, []any{nil}},
	{FormatDatetime, IsToday, nil, []any{"2025-10-08T23:00:00.000Z", "2025-10-09T22:59:59.999Z"}, []any{"2025-10-08T22:59:59.999Z", "2025-10-09T23:00:00.000Z", nil}},
	{FormatDatetime, IsBeforeToday, nil, []any{"2025-10-08T22:59:59.999Z"}, []any{"2025-10-08T23:00:00.000Z", nil}},
	{FormatDatetime, IsAfterToday, nil, []any{"2025-10-09T23:00:00.000Z"}, []any{"2025-10-09T22:59:59.999Z", nil}},

	{FormatSelect, Equal, []any{"Red"}, []any{"red"}, []any{"blue", nil}},
	{FormatSelect, NotEqual, []any{"red"}, []any{"blue", nil}, []any{"red"}},
	{FormatSelect, InArray, []any{"red", "blue"}, []any{"red", "blue"}, []any{"green", nil}},
	{FormatSelect, NotInArray, []any{"red", "blue", "unheard of"}, []any{"green", nil}, []any{"red", "blue"}},
	{FormatSelect, IsEmpty, nil, []any{nil}, []any{"red"}},
	{FormatSelect, IsNotEmpty, nil, []any{"red"}, []any{nil}},

	{FormatMultiselect, Contains, []any{"Red"}, []any{[]string{"blue", "red"}}, []any{[]string{"blue"}, nil}},
	{FormatMultiselect, DoesNotContain, []any{"red"}, []any{[]string{"blue"}, nil}, []any{[]string{"blue", "red"}}},
	{FormatMultiselect, Equal, []any{"red"}, []any{[]string{"blue", "red"}}, []any{[]string{"blue"}, nil}},
	{FormatMultiselect, NotEqual, []any{"red"}, []any{[]string{"blue"}, nil}, []any{[]string{"blue", "red"}}},
	{FormatMultiselect, InArray, []any{"red", "green"}, []any{[]string{"blue", "green"}}, []any{[]string{"blue"}, nil}},
	{FormatMultiselect, NotInArray, []any{"red", "green"}, []any{[]string{"blue"}, nil}, []any{[]string{"green"}}},
	{FormatMultiselect, IsEmpty, nil, []any{nil}, []any{[]string{"blue"}}},
	{FormatMultiselect, IsNotEmpty, nil, []any{[]string{"blue"}}, []any{nil}},
}

func valueOf(x any) Value {
	switch x := x.(type) {
	case string:
		return Value{Kind: TextValue, Text: x}
	case float64:
		return Value{Kind: NumberValue, Number: x}
	case bool:
		return Value{Kind: BooleanValue, Bool: x}
	case []string:
		return Value{Kind: ListValue, List: x}
	}
	return Value{}
}

func valuesOf(list []any) (values []Value) {
	for _, x := range list {
		values = append(values, valueOf(x))
	}
	return values
}

// TestEveryOperatorWithEveryFormat asks each case through the list, of articles that have the values, and of articles whose
// SKU has them.
func TestEveryOperatorWithEveryFormat(t *testing.T) {
	s := newShop(t)
	attributes := map[AttributeFormat]*Attribute{}
	for _, format := range FilterFormats {
		o := CreateAttribute{Name: string(format), Key: string(format), Format: format}
		if format.Chosen() {
			o.Options = []string{"red", "Green", "blue"}
		}
		attributes[format] = s.do(o).(*Attribute)
	}
	seen := map[AttributeFormat]map[Operator]bool{}
	for _, c := range filterCases {
		if seen[c.format] == nil {
			seen[c.format] = map[Operator]bool{}
		}
		seen[c.format][c.operator] = true
		var ids, want []ID
		for i, value := range append(slices.Clone(c.pass), c.fail...) {
			if text, ok := value.(string); ok && text == "green" {
				value = "Green"
			} else if list, ok := value.([]string); ok {
				list = slices.Clone(list)
				for i := range list {
					if list[i] == "green" {
						list[i] = "Green"
					}
				}
				value = list
			}
			var labels LabelsPatch
			if value != nil {
				labels.Attributes = Some([]AttributeInput{{Key: string(c.format), Value: valueOf(value)}})
			}
			sku := s.do(CreateSKU{Name: "S", Labels: labels}).(*SKU).ID
			own := s.do(CreateArticle{Name: "A", Labels: labels}).(*Article).ID
			inherits := s.do(CreateArticle{Name: "A", SKU: &sku}).(*Article).ID
			ids = append(ids, own, inherits)
			if i < len(c.pass) {
				want = append(want, own, inherits)
			}
		}
		f := Filter{Attribute: attributes[c.format].ID, Format: c.format, Operator: c.operator, Values: valuesOf(c.values)}
		q := ArticleQuery{Window: Span{Start: noon, End: noon}, Now: noon, Active: true, IDs: ids, Filters: []Filter{f}, Limit: 1000}
		require.Empty(t, s.view().CheckArticles(&q))
		page, _, err := s.view().ListArticles(&q, nil)
		require.NoError(t, err)
		var got []ID
		for _, r := range page {
			got = append(got, r.ID)
		}
		require.Equal(t, want, got, "%s %s %v", c.format, c.operator, c.values)
	}
	for _, format := range FilterFormats {
		for _, o := range Operators {
			require.Equal(t, slices.Contains(operatorsOf[format], o), seen[format][o], "%s %s", format, o)
			if slices.Contains(operatorsOf[format], o) {
				continue
			}
			q := ArticleQuery{Filters: []Filter{{Attribute: attributes[format].ID, Format: format, Operator: o}}}
			faults := s.view().CheckArticles(&q)
			require.Len(t, faults, 1)
			require.Equal(t, "/filters/0/operator", faults[0].Pointer)
			for _, fit := range operatorsOf[format] {
				require.Contains(t, faults[0].Message, string(fit))
			}
		}
	}
}

func TestFaultsOfFilters(t *testing.T) {
	s := newShop(t)
	number := s.do(CreateAttribute{Name: "n", Key: "n", Format: FormatNumber}).(*Attribute).ID
	smart := s.do(CreateAttribute{Name: "s", Key: "s", Format: FormatSmartField}).(*Attribute).ID
	for name, c := range map[string]struct {
		filter Filter
		faults []string
	}{
		"nothing":          {Filter{Operator: Equal}, []string{"/filters/0/field required"}},
		"both":             {Filter{Field: FieldName, Attribute: number, Operator: Equal}, []string{"/filters/0/field exclusive"}},
		"no format":        {Filter{Attribute: number, Operator: IsEmpty}, []string{"/filters/0/format required"}},
		"another format":   {Filter{Attribute: number, Format: FormatText, Operator: IsEmpty}, []string{"/filters/0/format enum"}},
		"smart select":     {Filter{Attribute: smart, Format: FormatSelect, Operator: IsEmpty}, []string{"/filters/0/format enum"}},
		"smart number":     {Filter{Attribute: smart, Format: FormatNumber, Operator: IsEmpty}, nil},
		"no value":         {Filter{Field: FieldName, Operator: Equal}, []string{"/filters/0/value required"}},
		"a value":          {Filter{Field: FieldName, Operator: IsEmpty, Values: valuesOf([]any{"x"})}, []string{"/filters/0/value length"}},
		"one of two":       {Filter{Field: FieldQuantity, Operator: Between, Values: valuesOf([]any{1.0})}, []string{"/filters/0/value length"}},
		"three of two":     {Filter{Field: FieldQuantity, Operator: Between, Values: valuesOf([]any{1.0, 2.0, 3.0})}, []string{"/filters/0/value length"}},
		"backwards":        {Filter{Field: FieldQuantity, Operator: Between, Values: valuesOf([]any{2.0, 1.0})}, []string{"/filters/0/value order"}},
		"text for numbers": {Filter{Field: FieldQuantity, Operator: InArray, Values: valuesOf([]any{"2", 1.0, true})}, []string{"/filters/0/value/0 type", "/filters/0/value/2 type"}},
		"written number":   {Filter{Field: FieldQuantity, Operator: Equal, Values: valuesOf([]any{"2.5e1"}), Written: true}, nil},
		"no number":        {Filter{Field: FieldQuantity, Operator: Equal, Values: valuesOf([]any{"0x10"}), Written: true}, []string{"/filters/0/value type"}},
		"infinity":         {Filter{Field: FieldQuantity, Operator: Equal, Values: valuesOf([]any{"1e999"}), Written: true}, []string{"/filters/0/value type"}},
		"a word":           {Filter{Field: FieldStatus, Operator: Equal, Values: valuesOf([]any{"gone"})}, []string{"/filters/0/value enum"}},
		"an id":            {Filter{Field: FieldSKU, Operator: Equal, Values: valuesOf([]any{"gone"})}, []string{"/filters/0/value format"}},
		"a day":            {Filter{Field: FieldCreatedAt, Operator: Equal, Values: valuesOf([]any{"2025-02-01"})}, []string{"/filters/0/value format"}},
		"too many":         {Filter{Field: FieldName, Operator: Equal, Values: slices.Repeat(valuesOf([]any{"x"}), 201)}, []string{"/filters/0/value length", "/filters length"}},
	} {
		var got []string
		for _, f := range s.view().CheckArticles(&ArticleQuery{Filters: []Filter{c.filter}}) {
			got = append(got, f.Pointer+" "+f.Code)
		}
		require.Equal(t, c.faults, got, name)
	}
	_, _, err := s.view().ListArticles(&ArticleQuery{Filters: []Filter{{Attribute: ID{1}, Format: FormatText, Operator: IsEmpty}}}, nil)
	require.ErrorIs(t, err, &Error{Code: CodeNotFound})
	require.Equal(t, timeline.Date{Year: 2025, Month: 10, Day: 9}, timeline.DateOf(mustZone("Europe/Lisbon"), noon))
}
