package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the test of filters: every operator with every format, by a table of what passes.

// Today is 2025-10-09 in Lisbon, where the day begins at 23:00 UTC.
var filterCases = []struct {
	format   label.AttributeFormat
	operator label.Operator
	values   []any // operands
	pass     []any // values that pass, nil for none
	fail     []any
}{
	{label.FormatText, label.StartsWith, []any{"DR"}, []any{"Drill", "dr"}, []any{"a drill", "d", nil}},
	{label.FormatText, label.StartsWith, []any{"x", "dr"}, []any{"Drill", "x"}, []any{"a", nil}},
	{label.FormatText, label.EndsWith, []any{"LL"}, []any{"Drill"}, []any{"drills", "l", nil}},
	{label.FormatText, label.Contains, []any{"RIL"}, []any{"Drill", "ril"}, []any{"rl", nil}},
	{label.FormatText, label.Contains, []any{"É"}, []any{"caf\u00e9"}, []any{"cafe", nil}},
	{label.FormatText, label.DoesNotContain, []any{"ril", "X"}, []any{"rl", nil}, []any{"Drill", "x"}},
	{label.FormatText, label.Equal, []any{"Drill", "saw"}, []any{"DRILL", "Saw"}, []any{"drills", nil}},
	{label.FormatText, label.NotEqual, []any{"drill", "saw"}, []any{"drills", nil}, []any{"Drill", "SAW"}},
	{label.FormatText, label.InArray, []any{"drill", "saw"}, []any{"Drill", "SAW"}, []any{"drills", nil}},
	{label.FormatText, label.NotInArray, []any{"drill", "saw"}, []any{"drills", nil}, []any{"Drill", "SAW"}},
	{label.FormatText, label.IsEmpty, nil, []any{nil}, []any{"x"}},
	{label.FormatText, label.IsNotEmpty, nil, []any{"x"}, []any{nil}},

	{label.FormatNumber, label.Equal, []any{1.5, -2.0}, []any{1.5, -2.0}, []any{1.0, nil}},
	{label.FormatNumber, label.NotEqual, []any{1.5, -2.0}, []any{1.0, nil}, []any{1.5, -2.0}},
	{label.FormatNumber, label.Greater, []any{2.0, 5.0}, []any{2.5, 9.0}, []any{2.0, nil}},
	{label.FormatNumber, label.GreaterOrEqual, []any{2.0}, []any{2.0, 9.0}, []any{1.9, nil}},
	{label.FormatNumber, label.Less, []any{2.0}, []any{1.9, -5.0}, []any{2.0, nil}},
	{label.FormatNumber, label.LessOrEqual, []any{2.0}, []any{2.0}, []any{2.1, nil}},
	{label.FormatNumber, label.InArray, []any{1.0, 2.0}, []any{1.0, 2.0}, []any{3.0, nil}},
	{label.FormatNumber, label.NotInArray, []any{1.0, 2.0}, []any{3.0, nil}, []any{1.0, 2.0}},
	{label.FormatNumber, label.Between, []any{1.0, 2.0}, []any{1.0, 1.5, 2.0}, []any{0.9, 2.1, nil}},
	{label.FormatNumber, label.NotBetween, []any{1.0, 2.0}, []any{0.9, 2.1, nil}, []any{1.0, 1.5, 2.0}},
	{label.FormatNumber, label.IsEmpty, nil, []any{nil}, []any{0.0}},
	{label.FormatNumber, label.IsNotEmpty, nil, []any{0.0}, []any{nil}},

	{label.FormatBoolean, label.Equal, []any{true}, []any{true}, []any{false, nil}},
	{label.FormatBoolean, label.NotEqual, []any{true}, []any{false, nil}, []any{true}},
	{label.FormatBoolean, label.InArray, []any{true, false}, []any{true, false}, []any{nil}},
	{label.FormatBoolean, label.NotInArray, []any{true, false}, []any{nil}, []any{true, false}},
	{label.FormatBoolean, label.IsEmpty, nil, []any{nil}, []any{false}},
	{label.FormatBoolean, label.IsNotEmpty, nil, []any{false}, []any{nil}},

	{label.FormatDate, label.Equal, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-08", nil}},
	{label.FormatDate, label.NotEqual, []any{"2025-10-09"}, []any{"2025-10-08", nil}, []any{"2025-10-09"}},
	{label.FormatDate, label.Greater, []any{"2025-10-09"}, []any{"2025-10-10"}, []any{"2025-10-09", nil}},
	{label.FormatDate, label.GreaterOrEqual, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-08", nil}},
	{label.FormatDate, label.Less, []any{"2025-10-09"}, []any{"1969-12-31"}, []any{"2025-10-09", nil}},
	{label.FormatDate, label.LessOrEqual, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-10", nil}},
	{label.FormatDate, label.InArray, []any{"2025-10-09"}, []any{"2025-10-09"}, []any{"2025-10-10", nil}},
	{label.FormatDate, label.NotInArray, []any{"2025-10-09"}, []any{"2025-10-10", nil}, []any{"2025-10-09"}},
	{label.FormatDate, label.Between, []any{"2025-10-01", "2025-10-31"}, []any{"2025-10-01", "2025-10-31"},
		[]any{"2025-11-01", nil}},
	{label.FormatDate, label.NotBetween, []any{"2025-10-01", "2025-10-31"}, []any{"2025-11-01", nil},
		[]any{"2025-10-01", "2025-10-31"}},
	{label.FormatDate, label.IsEmpty, nil, []any{nil}, []any{"2025-10-09"}},
	{label.FormatDate, label.IsNotEmpty, nil, []any{"2025-10-09"}, []any{nil}},
	{label.FormatDate, label.IsToday, nil, []any{"2025-10-09"}, []any{"2025-10-08", "2025-10-10", nil}},
	{label.FormatDate, label.IsBeforeToday, nil, []any{"2025-10-08"}, []any{"2025-10-09", nil}},
	{label.FormatDate, label.IsAfterToday, nil, []any{"2025-10-10"}, []any{"2025-10-09", nil}},

	{label.FormatDatetime, label.Equal, []any{"2025-10-09T12:00:00+02:00"}, []any{"2025-10-09T10:00:00.000Z"},
		[]any{"2025-10-09T10:00:00.001Z", nil}},
	{label.FormatDatetime, label.NotEqual, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.001Z", nil},
		[]any{"2025-10-09T10:00:00.000Z"}},
	{label.FormatDatetime, label.Greater, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.001Z"},
		[]any{"2025-10-09T10:00:00.000Z", nil}},
	{label.FormatDatetime, label.GreaterOrEqual, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.000Z"},
		[]any{"2025-10-09T09:59:59.999Z", nil}},
	{label.FormatDatetime, label.Less, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T09:59:59.999Z"},
		[]any{"2025-10-09T10:00:00.000Z", nil}},
	{label.FormatDatetime, label.LessOrEqual, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.000Z"},
		[]any{"2025-10-09T10:00:00.001Z", nil}},
	{label.FormatDatetime, label.InArray, []any{"2025-10-09T10:00:00Z"}, []any{"2025-10-09T10:00:00.000Z"}, []any{nil}},
	{label.FormatDatetime, label.NotInArray, []any{"2025-10-09T10:00:00Z"}, []any{nil},
		[]any{"2025-10-09T10:00:00.000Z"}},
	{label.FormatDatetime, label.Between, []any{"2025-10-09T10:00:00Z", "2025-10-09T11:00:00Z"},
		[]any{"2025-10-09T11:00:00.000Z"}, []any{"2025-10-09T11:00:00.001Z", nil}},
	{label.FormatDatetime, label.NotBetween, []any{"2025-10-09T10:00:00Z", "2025-10-09T11:00:00Z"},
		[]any{"2025-10-09T11:00:00.001Z", nil}, []any{"2025-10-09T11:00:00.000Z"}},
	{label.FormatDatetime, label.IsEmpty, nil, []any{nil}, []any{"2025-10-09T10:00:00.000Z"}},
	{label.FormatDatetime, label.IsNotEmpty, nil, []any{"2025-10-09T10:00:00.000Z"}, []any{nil}},
	{label.FormatDatetime, label.IsToday, nil, []any{"2025-10-08T23:00:00.000Z", "2025-10-09T22:59:59.999Z"},
		[]any{"2025-10-08T22:59:59.999Z", "2025-10-09T23:00:00.000Z", nil}},
	{label.FormatDatetime, label.IsBeforeToday, nil, []any{"2025-10-08T22:59:59.999Z"},
		[]any{"2025-10-08T23:00:00.000Z", nil}},
	{label.FormatDatetime, label.IsAfterToday, nil, []any{"2025-10-09T23:00:00.000Z"},
		[]any{"2025-10-09T22:59:59.999Z", nil}},

	{label.FormatSelect, label.Equal, []any{"Red"}, []any{"red"}, []any{"blue", nil}},
	{label.FormatSelect, label.NotEqual, []any{"red"}, []any{"blue", nil}, []any{"red"}},
	{label.FormatSelect, label.InArray, []any{"red", "blue"}, []any{"red", "blue"}, []any{"green", nil}},
	{label.FormatSelect, label.NotInArray, []any{"red", "blue", "unheard of"}, []any{"green", nil},
		[]any{"red", "blue"}},
	{label.FormatSelect, label.IsEmpty, nil, []any{nil}, []any{"red"}},
	{label.FormatSelect, label.IsNotEmpty, nil, []any{"red"}, []any{nil}},

	{label.FormatMultiselect, label.Contains, []any{"Red"}, []any{[]string{"blue", "red"}},
		[]any{[]string{"blue"}, nil}},
	{label.FormatMultiselect, label.DoesNotContain, []any{"red"}, []any{[]string{"blue"}, nil},
		[]any{[]string{"blue", "red"}}},
	{label.FormatMultiselect, label.Equal, []any{"red"}, []any{[]string{"blue", "red"}}, []any{[]string{"blue"}, nil}},
	{label.FormatMultiselect, label.NotEqual, []any{"red"}, []any{[]string{"blue"}, nil},
		[]any{[]string{"blue", "red"}}},
	{label.FormatMultiselect, label.InArray, []any{"red", "green"}, []any{[]string{"blue", "green"}},
		[]any{[]string{"blue"}, nil}},
	{label.FormatMultiselect, label.NotInArray, []any{"red", "green"}, []any{[]string{"blue"}, nil},
		[]any{[]string{"green"}}},
	{label.FormatMultiselect, label.IsEmpty, nil, []any{nil}, []any{[]string{"blue"}}},
	{label.FormatMultiselect, label.IsNotEmpty, nil, []any{[]string{"blue"}}, []any{nil}},
}

func valueOf(x any) label.Value {
	switch x := x.(type) {
	case string:
		return label.Value{Kind: label.TextValue, Text: x}
	case float64:
		return label.Value{Kind: label.NumberValue, Number: x}
	case bool:
		return label.Value{Kind: label.BooleanValue, Bool: x}
	case []string:
		return label.Value{Kind: label.ListValue, List: x}
	}
	return label.Value{}
}

func valuesOf(list []any) (values []label.Value) {
	for _, x := range list {
		values = append(values, valueOf(x))
	}
	return values
}

// TestEveryOperatorWithEveryFormat asks each case through the list, of articles that have the values, and of articles
// whose SKU has them.
func TestEveryOperatorWithEveryFormat(t *testing.T) {
	s := newShop(t)
	attributes := map[label.AttributeFormat]*label.Attribute{}
	for _, format := range label.FilterFormats {
		o := label.CreateAttribute{
			AttributeFields: label.AttributeFields{Name: string(format), Key: string(format), Format: format}}
		if format.Chosen() {
			o.Options = []string{"red", "Green", "blue"}
		}
		attributes[format] = s.do(o).(*label.Attribute)
	}
	seen := map[label.AttributeFormat]map[label.Operator]bool{}
	for _, c := range filterCases {
		if seen[c.format] == nil {
			seen[c.format] = map[label.Operator]bool{}
		}
		seen[c.format][c.operator] = true
		var ids, want []base.ID
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
			var labels label.LabelsPatch
			if value != nil {
				labels.Attributes = base.Some([]label.AttributeInput{{Key: string(c.format), Value: valueOf(value)}})
			}
			sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "S"}, Labels: labels}).(*stock.SKU).ID
			own := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "A"},
				Labels: labels}).(*stock.Article).ID
			inherits := s.do(
				stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "A", SKU: &sku}}).(*stock.Article).ID
			ids = append(ids, own, inherits)
			if i < len(c.pass) {
				want = append(want, own, inherits)
			}
		}
		f := stock.Filter{Attribute: attributes[c.format].ID, Format: c.format, Operator: c.operator,
			Values: valuesOf(c.values)}
		q := stock.ArticleQuery{Window: base.Span{Start: noon, End: noon}, Now: noon, Active: true, IDs: ids,
			Filters: []stock.Filter{f}, Limit: 1000}
		require.Empty(t, stock.CheckArticles(s.view(), &q))
		page, _, err := stock.ListArticles(s.view(), &q, nil)
		require.NoError(t, err)
		var got []base.ID
		for _, r := range page {
			got = append(got, r.ID)
		}
		require.Equal(t, want, got, "%s %s %v", c.format, c.operator, c.values)
	}
	for _, format := range label.FilterFormats {
		for _, o := range label.Operators {
			require.Equal(t, slices.Contains(label.OperatorsOf[format], o), seen[format][o], "%s %s", format, o)
			if slices.Contains(label.OperatorsOf[format], o) {
				continue
			}
			q := stock.ArticleQuery{
				Filters: []stock.Filter{{Attribute: attributes[format].ID, Format: format, Operator: o}}}
			faults := stock.CheckArticles(s.view(), &q)
			require.Len(t, faults, 1)
			require.Equal(t, "/filters/0/operator", faults[0].Pointer)
			for _, fit := range label.OperatorsOf[format] {
				require.Contains(t, faults[0].Message, string(fit))
			}
		}
	}
}

func TestFaultsOfFilters(t *testing.T) {
	s := newShop(t)
	number := s.do(label.CreateAttribute{
		AttributeFields: label.AttributeFields{Name: "n", Key: "n", Format: label.FormatNumber}}).(*label.Attribute).ID
	smart := s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "s", Key: "s",
		Format: label.FormatSmartField}}).(*label.Attribute).ID
	for name, c := range map[string]struct {
		filter stock.Filter
		faults []string
	}{
		"nothing": {stock.Filter{Operator: label.Equal}, []string{"/filters/0/field required"}},
		"both": {stock.Filter{Field: stock.FieldName, Attribute: number, Operator: label.Equal},
			[]string{"/filters/0/field exclusive"}},
		"no format": {stock.Filter{Attribute: number, Operator: label.IsEmpty},
			[]string{"/filters/0/format required"}},
		"another format": {stock.Filter{Attribute: number, Format: label.FormatText, Operator: label.IsEmpty},
			[]string{"/filters/0/format enum"}},
		"smart select": {stock.Filter{Attribute: smart, Format: label.FormatSelect, Operator: label.IsEmpty},
			[]string{"/filters/0/format enum"}},
		"smart number": {stock.Filter{Attribute: smart, Format: label.FormatNumber, Operator: label.IsEmpty}, nil},
		"no value": {stock.Filter{Field: stock.FieldName, Operator: label.Equal},
			[]string{"/filters/0/value required"}},
		"a value": {stock.Filter{Field: stock.FieldName, Operator: label.IsEmpty,
			Values: valuesOf([]any{"x"})}, []string{"/filters/0/value length"}},
		"one of two": {stock.Filter{Field: stock.FieldQuantity, Operator: label.Between,
			Values: valuesOf([]any{1.0})}, []string{"/filters/0/value length"}},
		"three of two": {stock.Filter{Field: stock.FieldQuantity, Operator: label.Between,
			Values: valuesOf([]any{1.0, 2.0, 3.0})}, []string{"/filters/0/value length"}},
		"backwards": {stock.Filter{Field: stock.FieldQuantity, Operator: label.Between,
			Values: valuesOf([]any{2.0, 1.0})}, []string{"/filters/0/value order"}},
		"text for numbers": {stock.Filter{Field: stock.FieldQuantity, Operator: label.InArray,
			Values: valuesOf([]any{"2", 1.0, true})}, []string{"/filters/0/value/0 type", "/filters/0/value/2 type"}},
		"written number": {stock.Filter{Field: stock.FieldQuantity, Operator: label.Equal,
			Values: valuesOf([]any{"2.5e1"}), Written: true}, nil},
		"no number": {stock.Filter{Field: stock.FieldQuantity, Operator: label.Equal,
			Values: valuesOf([]any{"0x10"}), Written: true}, []string{"/filters/0/value type"}},
		"infinity": {stock.Filter{Field: stock.FieldQuantity, Operator: label.Equal,
			Values: valuesOf([]any{"1e999"}), Written: true}, []string{"/filters/0/value type"}},
		"a word": {stock.Filter{Field: stock.FieldStatus, Operator: label.Equal,
			Values: valuesOf([]any{"gone"})}, []string{"/filters/0/value enum"}},
		"an id": {stock.Filter{Field: stock.FieldSKU, Operator: label.Equal,
			Values: valuesOf([]any{"gone"})}, []string{"/filters/0/value format"}},
		"a day": {stock.Filter{Field: stock.FieldCreatedAt, Operator: label.Equal,
			Values: valuesOf([]any{"2025-02-01"})}, []string{"/filters/0/value format"}},
		"too many": {stock.Filter{Field: stock.FieldName, Operator: label.Equal,
			Values: slices.Repeat(valuesOf([]any{"x"}), 201)}, []string{"/filters/0/value length", "/filters length"}},
	} {
		var got []string
		for _, f := range stock.CheckArticles(s.view(), &stock.ArticleQuery{Filters: []stock.Filter{c.filter}}) {
			got = append(got, f.Pointer+" "+f.Code)
		}
		require.Equal(t, c.faults, got, name)
	}
	_, _, err := stock.ListArticles(s.view(),
		&stock.ArticleQuery{
			Filters: []stock.Filter{{Attribute: base.ID{1}, Format: label.FormatText, Operator: label.IsEmpty}}}, nil)
	require.ErrorIs(t, err, &base.Error{Code: base.CodeNotFound})
	require.Equal(t, timeline.Date{Year: 2025, Month: 10, Day: 9},
		timeline.DateOf(stock.MustZone("Europe/Lisbon"), noon))
}
