package label

import (
	"slices"
	"strconv"
	"strings"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns filters: which operators fit which values, how operands are read, and whether a record's value passes.

// Operator is how a filter compares.
type Operator string

// The last five take no operand; the others are passed by what passes for one of their operands. The negated ones
// (doesNotContain, ne, notInArray, notBetween) are passed by what none of the operands is true of.
const (
	StartsWith     Operator = "startsWith"
	EndsWith       Operator = "endsWith"
	Contains       Operator = "contains"
	DoesNotContain Operator = "doesNotContain"
	Equal          Operator = "eq"
	NotEqual       Operator = "ne"
	Greater        Operator = "gt"
	GreaterOrEqual Operator = "gte"
	Less           Operator = "lt"
	LessOrEqual    Operator = "lte"
	InArray        Operator = "inArray"
	NotInArray     Operator = "notInArray"
	Between        Operator = "between"
	NotBetween     Operator = "notBetween"
	IsEmpty        Operator = "isEmpty"
	IsNotEmpty     Operator = "isNotEmpty"
	IsToday        Operator = "isToday"
	IsBeforeToday  Operator = "isBeforeToday"
	IsAfterToday   Operator = "isAfterToday"
)

// Operators are all of them.
var Operators = []Operator{
	StartsWith, EndsWith, Contains, DoesNotContain, Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual,
	InArray, NotInArray, Between,
	NotBetween, IsEmpty, IsNotEmpty, IsToday, IsBeforeToday, IsAfterToday,
}

// FilterFormats are the formats that a filter on an attribute can have. A formula or smart field is asked in the format
// of what is stored in it; a value that is of another one counts as none.
var FilterFormats = []AttributeFormat{FormatText, FormatNumber, FormatBoolean, FormatDate, FormatDatetime, FormatSelect,
	FormatMultiselect}

// Formats that only fields have.
const (
	FormatWord AttributeFormat = "word" // one of a few words
	FormatID   AttributeFormat = "id"
)

var OperatorsOf = func() map[AttributeFormat][]Operator {
	same := []Operator{Equal, NotEqual, InArray, NotInArray, IsEmpty, IsNotEmpty}
	texts := slices.Concat([]Operator{StartsWith, EndsWith, Contains, DoesNotContain}, same)
	numbers := slices.Concat([]Operator{Greater, GreaterOrEqual, Less, LessOrEqual, Between, NotBetween}, same)
	times := slices.Concat(numbers, []Operator{IsToday, IsBeforeToday, IsAfterToday})
	return map[AttributeFormat][]Operator{
		FormatText: texts, FormatNumber: numbers, FormatBoolean: same, FormatDate: times, FormatDatetime: times,
		FormatSelect:      same,
		FormatMultiselect: slices.Concat([]Operator{Contains, DoesNotContain}, same), FormatWord: same, FormatID: same,
	}
}()

// MaxOperands is the most operands that an operator takes.
const MaxOperands = 200

// Operands says how many operands an operator takes.
func (o Operator) Operands() (least, most int) {
	switch o {
	case IsEmpty, IsNotEmpty, IsToday, IsBeforeToday, IsAfterToday:
		return 0, 0
	case Between, NotBetween:
		return 2, 2
	}
	return 1, MaxOperands
}

// Negated says that an operator is passed by what has no value.
func (o Operator) Negated() bool {
	return o == DoesNotContain || o == NotEqual || o == NotInArray || o == NotBetween
}

// Fact is what a record has in one field. Which members count depends on the format.
type Fact struct {
	Has    bool
	Void   bool    // what it has is the empty text, or of another format: no value, but nothing stands in for it
	Number float64 // a number, an instant, a day since 1970, or 1 for true
	Texts  []string
	Ids    []base.ID // a select's or multiselect's options, tags, records
}

// NumberFact is a number to be judged.
func NumberFact(n float64) Fact { return Fact{Has: true, Number: n} }

// MoneyFact is an amount to be judged, if there is one.
func MoneyFact(n *int64) (f Fact) {
	if n != nil {
		f = NumberFact(float64(*n))
	}
	return f
}

// TextFact is a text as it is compared: without case. An empty one is none.
func TextFact(texts ...string) (f Fact) {
	for _, s := range texts {
		if s != "" {
			f.Has, f.Texts = true, append(f.Texts, base.Uncased(s))
		}
	}
	return f
}

// OptionalTextFact is a text to be judged, if there is one.
func OptionalTextFact(s *string) Fact {
	if s == nil {
		return Fact{}
	}
	f := TextFact(*s)
	f.Void = !f.Has
	return f
}

// IdsFact are ids to be judged.
func IdsFact(ids ...base.ID) Fact { return Fact{Has: len(ids) > 0, Ids: ids} }

// Equal says that two facts are the same.
func (f *Fact) Equal(o *Fact) bool {
	return f.Has == o.Has && f.Void == o.Void && f.Number == o.Number && slices.Equal(f.Texts, o.Texts) &&
		slices.Equal(f.Ids, o.Ids)
}

// ValueFact is an attribute's kept value, seen in a format. One that is none there hides what would stand in for it all
// the same.
func ValueFact(v AttributeValue, as AttributeFormat) (f Fact) {
	switch as {
	case FormatNumber:
		f.Has, f.Number = v.Kind == NumberValue, v.Number
	case FormatBoolean:
		f.Has, f.Number = v.Kind == BooleanValue, v.Number
	case FormatDate, FormatDatetime:
		if v.Kind == TextValue {
			f.Number, f.Has = momentOf(as, v.Text)
		}
	case FormatSelect, FormatMultiselect:
		return IdsFact(v.Options...)
	default:
		if v.Kind == TextValue {
			f = TextFact(v.Text)
		}
	}
	f.Void = !f.Has
	return f
}

// momentOf is a day or an instant as a number.
func momentOf(format AttributeFormat, text string) (float64, bool) {
	if format == FormatDate {
		d, ok := timeline.ParseDate(text)
		return float64(timeline.Date{Year: 1970, Month: 1, Day: 1}.DaysUntil(d)), ok
	}
	at, fault := timeline.ParseInstant(text)
	return float64(at), fault == ""
}

// Operand is a value of a filter, read in the filter's format.
type Operand struct {
	Number float64
	Text   string // as base.Uncased has it
	ID     base.ID
}

// ReadOperand reads a value of a filter, or names what is wrong with it.
func ReadOperand(c *base.Checker, pointer string, format AttributeFormat, v Value, written bool) (x Operand) {
	if v.Kind == ListValue || v.Kind == NoValue {
		c.Fault(pointer, "type", "must be a string, a number, true or false")
		return x
	}
	switch format {
	case FormatNumber:
		if written {
			n, err := strconv.ParseFloat(v.Text, 64)
			if err != nil || strings.Trim(v.Text, "+-.0123456789eE") != "" {
				c.Fault(pointer, "type", "must be a number")
			}
			x.Number = n
		} else if v.Kind != NumberValue {
			c.Fault(pointer, "type", "must be a number")
		} else {
			x.Number = v.Number
		}
	case FormatBoolean:
		yes := v.Bool
		if written {
			yes = v.Text == "true"
		}
		if written && v.Text != "true" && v.Text != "false" || !written && v.Kind != BooleanValue {
			c.Fault(pointer, "type", "must be true or false")
		}
		if yes {
			x.Number = 1
		}
	case FormatDate, FormatDatetime:
		n, ok := momentOf(format, v.Text)
		switch {
		case v.Kind != TextValue:
			c.Fault(pointer, "type", "must be a string")
		case !ok && format == FormatDate:
			c.Fault(pointer, "format", "must be a day that exists, like 2025-06-30")
		case !ok:
			c.Fault(pointer, "format", "must be a date-time with Z or an offset, like 2025-06-30T12:00:00Z")
		}
		x.Number = n
	case FormatID:
		id, ok := base.ParseID(v.Text)
		if v.Kind != TextValue || !ok {
			c.Fault(pointer, "format", "must be a UUID like 0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e")
		}
		x.ID = id
	default:
		if v.Kind != TextValue {
			c.Fault(pointer, "type", "must be a string")
		}
		x.Text = base.Uncased(v.Text)
		x.ID, _ = base.ParseID(v.Text)
	}
	return x
}

// Verdict is what a judge says of a value.
type Verdict uint8

const (
	unjudged Verdict = iota
	Absent           // there is no value: another may stand in
	Failed
	Passed
)

// Judge is a filter made ready: it passes or fails facts.
type Judge struct {
	operator Operator
	negated  bool
	holds    func(*Fact) bool   // before it is negated, of one that has a value; nil: of each
	Alive    func(base.ID) bool // of ids that may name what is gone; nil: none does
	text     func(string) bool  // holds is true of what has a text that passes; nil: texts are not asked for
	needles  []string           // no text passes that has none of them in it
	wants    func(base.ID) bool // holds is true of what has an id that is wanted; nil: ids are not asked for
}

// Of judges a fact.
func (j *Judge) Of(f *Fact) Verdict {
	holds := f.Has && j.holds != nil && j.holds(f) // what is looked for is alive
	switch {
	case f.Void && j.Without(), holds && !j.negated:
		return Passed
	case f.Void, holds:
		return Failed
	case !f.Has, j.Alive != nil && !slices.ContainsFunc(f.Ids, j.Alive):
		return Absent
	case j.negated, j.operator == IsNotEmpty:
		return Passed
	}
	return Failed
}

// Without is the verdict on a record that has no value, nor any that stands in.
func (j *Judge) Without() bool { return j.negated || j.operator == IsEmpty }

// NewJudge makes the judge of an operator over operands of a format. chosen gives the ids that an operand of a choice
// names.
func NewJudge(format AttributeFormat, o Operator, operands []Operand, today timeline.Date, zone *timeline.Zone,
	chosen func(Operand) []base.ID) Judge {
	j := Judge{operator: o, negated: o.Negated()}
	if o == IsEmpty || o == IsNotEmpty {
		return j
	}
	switch format {
	case FormatText, FormatWord:
		text := textTest(o, operands)
		j.text, j.holds = text, func(f *Fact) bool { return slices.ContainsFunc(f.Texts, text) }
		for _, x := range operands {
			j.needles = append(j.needles, x.Text)
		}
	case FormatSelect, FormatMultiselect, FormatID:
		var wanted []base.ID
		for _, x := range operands {
			wanted = append(wanted, chosen(x)...)
		}
		slices.SortFunc(wanted, base.ID.Compare)
		wants := func(id base.ID) bool {
			if len(wanted) <= 4 { // as most are
				return slices.Contains(wanted, id)
			}
			_, ok := slices.BinarySearchFunc(wanted, id, base.ID.Compare)
			return ok
		}
		j.wants, j.holds = wants, func(f *Fact) bool { return slices.ContainsFunc(f.Ids, wants) }
	default:
		j.holds = numberTest(o, operands)
		if o == IsToday || o == IsBeforeToday || o == IsAfterToday {
			j.holds = dayTest(o, format, today, zone)
		}
	}
	return j
}

// textTest is true of a text of which an operand is.
func textTest(o Operator, operands []Operand) func(string) bool {
	one := func(s, x string) bool { return s == x }
	switch o {
	case StartsWith:
		one = strings.HasPrefix
	case EndsWith:
		one = strings.HasSuffix
	case Contains, DoesNotContain:
		one = strings.Contains
	}
	return func(s string) bool {
		for i := range operands {
			if one(s, operands[i].Text) {
				return true
			}
		}
		return false
	}
}

func numberTest(o Operator, operands []Operand) func(*Fact) bool {
	one := func(n, x float64) bool { return n == x }
	switch o {
	case Greater:
		one = func(n, x float64) bool { return n > x }
	case GreaterOrEqual:
		one = func(n, x float64) bool { return n >= x }
	case Less:
		one = func(n, x float64) bool { return n < x }
	case LessOrEqual:
		one = func(n, x float64) bool { return n <= x }
	case Between, NotBetween:
		return func(f *Fact) bool { return operands[0].Number <= f.Number && f.Number <= operands[1].Number }
	}
	return func(f *Fact) bool {
		for i := range operands {
			if one(f.Number, operands[i].Number) {
				return true
			}
		}
		return false
	}
}

// dayTest compares the day of a date, or of an instant in a zone, with today.
func dayTest(o Operator, format AttributeFormat, today timeline.Date, zone *timeline.Zone) func(*Fact) bool {
	return func(f *Fact) bool {
		day := timeline.Date{Year: 1970, Month: 1, Day: 1}.AddDays(int64(f.Number))
		if format == FormatDatetime {
			day = timeline.DateOf(zone, int64(f.Number))
		}
		switch o {
		case IsBeforeToday:
			return day.Before(today)
		case IsAfterToday:
			return today.Before(day)
		}
		return day == today
	}
}
