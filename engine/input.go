package engine

import (
	"iter"
	"net/url"
	"strings"
	"unicode/utf8"

	"holdfast/timeline"
)

// This file owns the bounds of the interface, and the checks of inputs that many operations share. A checker collects all faults of
// an input, each with a pointer to the member that has it.

const (
	maxName    = 255
	maxNote    = 10_000
	maxCount   = 10_000
	maxSlots   = 100_000
	maxLines   = 1_000
	maxUnits   = 10_000
	minInstant = 0
	maxInstant = 253402300799999 // 9999-12-31T23:59:59.999Z
	maxSafe    = 1<<53 - 1
	maxRows    = 110_000 // of a write set: an article with all its slots, and what they seat; a unit takes about 160 bytes of log, so about 17 MiB
)

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

// checker collects the faults of an input.
type checker struct{ faults []Fault }

func (c *checker) fault(pointer, code, message string) {
	c.faults = append(c.faults, Fault{Pointer: pointer, Code: code, Message: message})
}

func (c *checker) text(pointer, s string, least, most int) {
	n := utf8.RuneCountInString(s)
	switch {
	case n < least && n == 0:
		c.fault(pointer, "required", "must not be empty")
	case n < least || n > most:
		c.fault(pointer, "length", "must have between "+itoa(least)+" and "+itoa(most)+" characters")
	}
}

func (c *checker) optional(pointer string, s *string, least, most int) {
	if s != nil {
		c.text(pointer, *s, least, most)
	}
}

func (c *checker) patchText(pointer string, o Opt[string], least, most int) {
	if o.Set && !o.Null {
		c.text(pointer, o.Value, least, most)
	}
}

func (c *checker) patchName(pointer string, name Opt[string]) {
	if name.Set {
		c.text(pointer, name.Value, 1, maxName)
	}
}

func (c *checker) number(pointer string, n, least, most int) {
	if n < least || n > most {
		c.fault(pointer, "range", "must be between "+itoa(least)+" and "+itoa(most))
	}
}

// count checks the number of elements of a list, and says whether they are worth a look.
func (c *checker) count(pointer string, n, least, most int) bool {
	if n < least || n > most {
		c.fault(pointer, "length", "must have between "+itoa(least)+" and "+itoa(most)+" entries")
		return false
	}
	return true
}

func (c *checker) oneOf(pointer, s string, allowed ...string) {
	for _, a := range allowed {
		if s == a {
			return
		}
	}
	c.fault(pointer, "enum", "must be one of "+join(allowed))
}

func (c *checker) instant(pointer string, t int64) bool {
	if t < minInstant || t > maxInstant {
		c.fault(pointer, "range", "must lie in the years 1970 to 9999")
		return false
	}
	return true
}

func (c *checker) optionalInstant(pointer string, t *int64) {
	if t != nil {
		c.instant(pointer, *t)
	}
}

// window checks a range; an open end is Forever.
func (c *checker) window(fromPointer, toPointer string, w Span) {
	ok := c.instant(fromPointer, w.Start)
	if w.End != Forever {
		ok = c.instant(toPointer, w.End) && ok
	}
	if ok && w.Start >= w.End {
		c.fault(toPointer, "order", "must be later than "+fromPointer[strings.LastIndexByte(fromPointer, '/')+1:])
	}
}

// patchWindow checks what is given of a range; an end that is null is open.
func (c *checker) patchWindow(fromPointer, toPointer string, from, to Opt[int64]) {
	c.optionalInstant(fromPointer, from.given())
	c.optionalInstant(toPointer, to.given())
	if from.Set && to.Set && !to.Null && from.Value >= to.Value {
		c.fault(toPointer, "order", "must be later than startDate")
	}
}

func (c *checker) zone(pointer, name string) {
	if _, err := timeline.LoadZone(name); err != nil {
		c.fault(pointer, "zone", "must be an IANA time zone name such as Europe/Lisbon")
	}
}

func (c *checker) money(pointer string, m *int64) {
	if m != nil && (*m < -maxSafe || *m > maxSafe) {
		c.fault(pointer, "range", "must be a whole number of minor units between -9007199254740991 and 9007199254740991")
	}
}

func (c *checker) patchMoney(pointer string, o Opt[int64]) {
	if o.Set && !o.Null {
		c.money(pointer, &o.Value)
	}
}

// currencies are the codes of ISO 4217 for money in use.
const currencies = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE " +
	"CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW " +
	"KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR " +
	"RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST " +
	"XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"

func (c *checker) currency(pointer, code string) {
	if len(code) != 3 || strings.Contains(code, " ") || !strings.Contains(currencies, code) {
		c.fault(pointer, "format", "must be a currency of ISO 4217 such as EUR")
	}
}

const maxURL = 2048

// link demands an absolute address of the web.
func (c *checker) link(pointer, s string) {
	if len(s) > maxURL {
		c.fault(pointer, "length", "must have at most 2048 characters")
		return
	}
	u, err := url.Parse(s)
	bad := err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == ""
	for i := range len(s) {
		bad = bad || s[i] <= ' ' || s[i] >= 0x7f
	}
	if bad {
		c.fault(pointer, "format", "must be an absolute http or https URL, such as https://example.com/book")
	}
}

// each visits the elements of a list with their pointers, where there are as many as there may be.
func each[T any](c *checker, pointer string, list []T, least, most int) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		if !c.count(pointer, len(list), least, most) {
			return
		}
		for i := range list {
			if !yield(pointer+"/"+itoa(i), &list[i]) {
				return
			}
		}
	}
}

// distinct demands that no id of a list is in it twice; a list that is not given is no fault.
func (c *checker) distinct(pointer string, list []ID, most int) {
	if list == nil || !c.count(pointer, len(list), 1, most) {
		return
	}
	seen := make(map[ID]bool, len(list))
	for i, id := range list {
		if seen[id] {
			c.fault(pointer+"/"+itoa(i), "duplicate", "is named more than once")
		}
		seen[id] = true
	}
}

// within adds the faults of a part.
func (c *checker) within(pointer string, faults []Fault) {
	for _, f := range faults {
		f.Pointer = pointer + f.Pointer
		c.faults = append(c.faults, f)
	}
}

// match holds a record's revision against the ones a caller accepts.
func match(wanted []uint64, revision uint64) error {
	if len(wanted) == 0 {
		return nil
	}
	for _, w := range wanted {
		if w == revision {
			return nil
		}
	}
	return refuse(CodePrecondition, "the record was changed since it was read")
}

// distinctValue is one that no two rows of a kind may have, with its pointer.
type distinctValue struct{ pointer, value string }
