package engine

import (
	"slices"
	"strconv"
	"strings"

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
	StartsWith, EndsWith, Contains, DoesNotContain, Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual, InArray, NotInArray, Between,
	NotBetween, IsEmpty, IsNotEmpty, IsToday, IsBeforeToday, IsAfterToday,
}

// FilterFormats are the formats that a filter on an attribute can have. A formula or smart field is asked in the format of
// what is stored in it; a value that is of another one counts as none.
var FilterFormats = []AttributeFormat{FormatText, FormatNumber, FormatBoolean, FormatDate, FormatDatetime, FormatSelect, FormatMultiselect}

// Formats that only fields have.
const (
	formatWord AttributeFormat = "word" // one of a few words
	formatID   AttributeFormat = "id"
)

var operatorsOf = func() map[AttributeFormat][]Operator {
	same := []Operator{Equal, NotEqual, InArray, NotInArray, IsEmpty, IsNotEmpty}
	texts := slices.Concat([]Operator{StartsWith, EndsWith, Contains, DoesNotContain}, same)
	numbers := slices.Concat([]Operator{Greater, GreaterOrEqual, Less, LessOrEqual, Between, NotBetween}, same)
	times := slices.Concat(numbers, []Operator{IsToday, IsBeforeToday, IsAfterToday})
	return map[AttributeFormat][]Operator{
		FormatText: texts, FormatNumber: numbers, FormatBoolean: same, FormatDate: times, FormatDatetime: times, FormatSelect: same,
		FormatMultiselect: slices.Concat([]Operator{Contains, DoesNotContain}, same), formatWord: same, formatID: same,
	}
}()

// maxOperands is the most operands that an operator takes.
const maxOperands = 200

// operands says how many operands an operator takes.
func (o Operator) operands() (least, most int) {
	switch o {
	case IsEmpty, IsNotEmpty, IsToday, IsBeforeToday, IsAfterToday:
		return 0, 0
	case Between, NotBetween:
		return 2, 2
	}
	return 1, maxOperands
}

// negated says that an operator is passed by what has no value.
func (o Operator) negated() bool {
	return o == DoesNotContain || o == NotEqual || o == NotInArray || o == NotBetween
}

// fact is what a record has in one field. Which members count depends on the format.
type fact struct {
	has    bool
	void   bool    // what it has is the empty text, or of another format: no value, but nothing stands in for it
	number float64 // a number, an instant, a day since 1970, or 1 for true
	texts  []string
	ids    []ID // a select's or multiselect's options, tags, records
}

func numberFact(n float64) fact { return fact{has: true, number: n} }

func moneyFact(n *int64) (f fact) {
	if n != nil {
		f = numberFact(float64(*n))
	}
	return f
}

// textFact is a text as it is compared: without case. An empty one is none.
func textFact(texts ...string) (f fact) {
	for _, s := range texts {
		if s != "" {
			f.has, f.texts = true, append(f.texts, strings.ToLower(s))
		}
	}
	return f
}

func optionalTextFact(s *string) fact {
	if s == nil {
		return fact{}
	}
	f := textFact(*s)
	f.void = !f.has
	return f
}

func idsFact(ids ...ID) fact { return fact{has: len(ids) > 0, ids: ids} }

func (f *fact) equal(o *fact) bool {
	return f.has == o.has && f.void == o.void && f.number == o.number && slices.Equal(f.texts, o.texts) && slices.Equal(f.ids, o.ids)
}

// valueFact is an attribute's kept value, seen in a format. One that is none there hides what would stand in for it all the same.
func valueFact(v AttributeValue, as AttributeFormat) (f fact) {
	switch as {
	case FormatNumber:
		f.has, f.number = v.Kind == NumberValue, v.Number
	case FormatBoolean:
		f.has, f.number = v.Kind == BooleanValue, v.Number
	case FormatDate, FormatDatetime:
		if v.Kind == TextValue {
			f.number, f.has = momentOf(as, v.Text)
		}
	case FormatSelect, FormatMultiselect:
		return idsFact(v.Options...)
	default:
		if v.Kind == TextValue {
			f = textFact(v.Text)
		}
	}
	f.void = !f.has
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

// operand is a value of a filter, read in the filter's format.
type operand struct {
	number float64
	text   string // lower-case
	id     ID
}

// readOperand reads a value of a filter, or names what is wrong with it.
func readOperand(c *checker, pointer string, format AttributeFormat, v Value, written bool) (x operand) {
	if v.Kind == ListValue || v.Kind == NoValue {
		c.fault(pointer, "type", "must be a string, a number, true or false")
		return x
	}
	switch format {
	case FormatNumber:
		if written {
			n, err := strconv.ParseFloat(v.Text, 64)
			if err != nil || strings.Trim(v.Text, "+-.0123456789eE") != "" {
				c.fault(pointer, "type", "must be a number")
			}
			x.number = n
		} else if v.Kind != NumberValue {
			c.fault(pointer, "type", "must be a number")
		} else {
			x.number = v.Number
		}
	case FormatBoolean:
		yes := v.Bool
		if written {
			yes = v.Text == "true"
		}
		if written && v.Text != "true" && v.Text != "false" || !written && v.Kind != BooleanValue {
			c.fault(pointer, "type", "must be true or false")
		}
		if yes {
			x.number = 1
		}
	case FormatDate, FormatDatetime:
		n, ok := momentOf(format, v.Text)
		switch {
		case v.Kind != TextValue:
			c.fault(pointer, "type", "must be a string")
		case !ok && format == FormatDate:
			c.fault(pointer, "format", "must be a day that exists, like 2025-06-30")
		case !ok:
			c.fault(pointer, "format", "must be a date-time with Z or an offset, like 2025-06-30T12:00:00Z")
		}
		x.number = n
	case formatID:
		id, ok := ParseID(v.Text)
		if v.Kind != TextValue || !ok {
			c.fault(pointer, "format", "must be a UUID like 0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e")
		}
		x.id = id
	default:
		if v.Kind != TextValue {
			c.fault(pointer, "type", "must be a string")
		}
		x.text = strings.ToLower(v.Text)
		x.id, _ = ParseID(v.Text)
	}
	return x
}

// verdict is what a judge says of a value.
type verdict uint8

const (
	unjudged verdict = iota
	absent           // there is no value: another may stand in
	failed
	passed
)

// judge is a filter made ready: it passes or fails facts.
type judge struct {
	operator Operator
	negated  bool
	holds    func(*fact) bool // before it is negated, of one that has a value; nil: of each
	alive    func(ID) bool    // of ids that may name what is gone; nil: none does
	needles  []string         // holds is false of texts that have none of them in theirs; nil: nothing is known
}

// of judges a fact.
func (j *judge) of(f *fact) verdict {
	holds := f.has && j.holds != nil && j.holds(f) // what is looked for is alive
	switch {
	case f.void && j.without(), holds && !j.negated:
		return passed
	case f.void, holds:
		return failed
	case !f.has, j.alive != nil && !slices.ContainsFunc(f.ids, j.alive):
		return absent
	case j.negated, j.operator == IsNotEmpty:
		return passed
	}
	return failed
}

// without is the verdict on a record that has no value, nor any that stands in.
func (j *judge) without() bool { return j.negated || j.operator == IsEmpty }

// newJudge makes the judge of an operator over operands of a format. chosen gives the ids that an operand of a choice names.
func newJudge(format AttributeFormat, o Operator, operands []operand, today timeline.Date, zone *timeline.Zone, chosen func(operand) []ID) judge {
	j := judge{operator: o, negated: o.negated()}
	if o == IsEmpty || o == IsNotEmpty {
		return j
	}
	switch format {
	case FormatText, formatWord:
		j.holds = textTest(o, operands)
		for _, x := range operands {
			j.needles = append(j.needles, x.text)
		}
	case FormatSelect, FormatMultiselect, formatID:
		var wanted []ID
		for _, x := range operands {
			wanted = append(wanted, chosen(x)...)
		}
		slices.SortFunc(wanted, ID.Compare)
		j.holds = func(f *fact) bool {
			for _, id := range f.ids {
				if _, ok := slices.BinarySearchFunc(wanted, id, ID.Compare); ok {
					return true
				}
			}
			return false
		}
	default:
		j.holds = numberTest(o, operands)
		if o == IsToday || o == IsBeforeToday || o == IsAfterToday {
			j.holds = dayTest(o, format, today, zone)
		}
	}
	return j
}

// textTest is true of a list of texts where an operand is true of one of them.
func textTest(o Operator, operands []operand) func(*fact) bool {
	one := func(s, x string) bool { return s == x }
	switch o {
	case StartsWith:
		one = strings.HasPrefix
	case EndsWith:
		one = strings.HasSuffix
	case Contains, DoesNotContain:
		one = strings.Contains
	}
	return func(f *fact) bool {
		for _, s := range f.texts {
			for i := range operands {
				if one(s, operands[i].text) {
					return true
				}
			}
		}
		return false
	}
}

func numberTest(o Operator, operands []operand) func(*fact) bool {
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
		return func(f *fact) bool { return operands[0].number <= f.number && f.number <= operands[1].number }
	}
	return func(f *fact) bool {
		for i := range operands {
			if one(f.number, operands[i].number) {
				return true
			}
		}
		return false
	}
}

// dayTest compares the day of a date, or of an instant in a zone, with today.
func dayTest(o Operator, format AttributeFormat, today timeline.Date, zone *timeline.Zone) func(*fact) bool {
	return func(f *fact) bool {
		day := timeline.Date{Year: 1970, Month: 1, Day: 1}.AddDays(int64(f.number))
		if format == FormatDatetime {
			day = timeline.DateOf(zone, int64(f.number))
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
