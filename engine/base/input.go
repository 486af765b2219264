package base

import (
	"iter"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"holdfast/timeline"
)

// This file owns the bounds of the interface, and the checks of inputs that many operations share. A checker collects
// all faults of an input, each with a pointer to the member that has it.

const (
	MaxName    = 255
	MaxNote    = 10_000
	MaxCount   = 10_000
	MaxSlots   = 100_000
	MaxLines   = 1_000
	MaxUnits   = 10_000
	MinInstant = 0
	MaxInstant = 253402300799999 // 9999-12-31T23:59:59.999Z
	MaxSafe    = 1<<53 - 1
	// of a write set: an article with all its slots, and what they seat; a unit takes about 160 bytes of log, so about
	// 17 MiB
	maxRows = 110_000
)

// Span is a half-open range of milliseconds since the epoch.
type Span = timeline.Span

// Forever is the open end of a range.
const Forever = timeline.Forever

// Checker collects the faults of an input.
type Checker struct{ Faults []Fault }

// Fault notes a fault of the input at a pointer.
func (c *Checker) Fault(pointer, code, message string) {
	c.Faults = append(c.Faults, Fault{Pointer: pointer, Code: code, Message: message})
}

// Hanging is Fault of what is one only by another value, whose pointer is on.
func (c *Checker) Hanging(on, pointer, code, message string) {
	c.Faults = append(c.Faults, Fault{Pointer: pointer, Code: code, Message: message, Hangs: on})
}

// Text demands so many characters, and none that only steer.
func (c *Checker) Text(pointer, s string, least, most int) {
	n := utf8.RuneCountInString(s)
	switch {
	case n < least && n == 0:
		c.Fault(pointer, "required", "must not be empty")
	case n < least || n > most:
		c.Fault(pointer, "length", "must have between "+Itoa(least)+" and "+Itoa(most)+" characters")
	}
}

// Optional is Text of what may be left out.
func (c *Checker) Optional(pointer string, s *string, least, most int) {
	if s != nil {
		c.Text(pointer, *s, least, most)
	}
}

// PatchText is Text of a change that may also clear.
func (c *Checker) PatchText(pointer string, o Opt[string], least, most int) {
	if o.Set && !o.Null {
		c.Text(pointer, o.Value, least, most)
	}
}

// Number demands a number of a range.
func (c *Checker) Number(pointer string, n, least, most int) {
	if n < least || n > most {
		c.Fault(pointer, "range", "must be between "+Itoa(least)+" and "+Itoa(most))
	}
}

// Count checks the number of elements of a list, and says whether they are worth a look.
func (c *Checker) Count(pointer string, n, least, most int) bool {
	if n < least || n > most {
		c.Fault(pointer, "length", "must have between "+Itoa(least)+" and "+Itoa(most)+" entries")
		return false
	}
	return true
}

// OneOf demands one of some words.
func (c *Checker) OneOf(pointer, s string, allowed ...string) {
	for _, a := range allowed {
		if s == a {
			return
		}
	}
	c.Fault(pointer, "enum", "must be one of "+Join(allowed))
}

// Instant demands an instant that the engine can count with.
func (c *Checker) Instant(pointer string, t int64) bool {
	if t < MinInstant || t > MaxInstant {
		c.Fault(pointer, "range", "must lie in the years 1970 to 9999")
		return false
	}
	return true
}

// OptionalInstant is Instant of what may be left out.
func (c *Checker) OptionalInstant(pointer string, t *int64) {
	if t != nil {
		c.Instant(pointer, *t)
	}
}

// Window checks a range; an open end is Forever.
func (c *Checker) Window(fromPointer, toPointer string, w Span) {
	ok := c.Instant(fromPointer, w.Start)
	if w.End != Forever {
		ok = c.Instant(toPointer, w.End) && ok
	}
	if ok && w.Start >= w.End {
		c.Fault(toPointer, "order", "must be later than "+fromPointer[strings.LastIndexByte(fromPointer, '/')+1:])
	}
}

// PatchWindow checks what is given of a range; an end that is null is open.
func (c *Checker) PatchWindow(fromPointer, toPointer string, from, to Opt[int64]) {
	c.OptionalInstant(fromPointer, from.Given())
	c.OptionalInstant(toPointer, to.Given())
	if from.Set && to.Set && !to.Null && from.Value >= to.Value {
		c.Fault(toPointer, "order", "must be later than startDate")
	}
}

// Zone demands the name of a time zone.
func (c *Checker) Zone(pointer, name string) {
	if _, err := timeline.LoadZone(name); err != nil {
		c.Fault(pointer, "zone", "must be an IANA time zone name such as Europe/Lisbon")
	}
}

// Money demands whole cents that are not negative; nil is no fault.
func (c *Checker) Money(pointer string, m *int64) {
	if m != nil && (*m < -MaxSafe || *m > MaxSafe) {
		c.Fault(pointer, "range",
			"must be a whole number of minor units between -9007199254740991 and 9007199254740991")
	}
}

// PatchMoney is Money of a change that may also clear.
func (c *Checker) PatchMoney(pointer string, o Opt[int64]) {
	if o.Set && !o.Null {
		c.Money(pointer, &o.Value)
	}
}

// currencies are the codes of ISO 4217 for money in use.
const currencies = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN " +
	"BZD CAD CDF CHF CLP CNY COP CRC CUP CVE " +
	"CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD " +
	"IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW " +
	"KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK " +
	"NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR " +
	"RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD " +
	"TZS UAH UGX USD UYU UZS VED VES VND VUV WST " +
	"XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"

func (c *Checker) currency(pointer, code string) {
	if len(code) != 3 || strings.Contains(code, " ") || !strings.Contains(currencies, code) {
		c.Fault(pointer, "format", "must be a currency of ISO 4217 such as EUR")
	}
}

// key demands a name under which values are given: one that is fit to be a member of an object in any language.
func (c *Checker) key(pointer, key string, least, most int) {
	c.Text(pointer, key, least, most)
	for _, r := range key {
		if (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r != '_' && r != '-' && r != '.' {
			c.Fault(pointer, "format", "must be of letters, digits, underscores, hyphens and dots")
			return
		}
	}
}

const MaxURL = 2048

// link demands an absolute address of the web.
func (c *Checker) link(pointer, s string) {
	if len(s) > MaxURL {
		c.Fault(pointer, "length", "must have at most 2048 characters")
		return
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !labelled(u.Hostname()) || !port(u) || !written(s) {
		c.Fault(pointer, "format", "must be an absolute http or https URL, such as https://example.com/book")
	}
}

// endpoint demands an absolute https address without anything that could lead a reader astray.
func (c *Checker) endpoint(pointer, s string) {
	if len(s) > MaxURL {
		c.Fault(pointer, "length", "must have at most 2048 characters")
		return
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Opaque != "" || u.User != nil || strings.Contains(s, "#") ||
		strings.HasSuffix(u.Host, ":") || !hostname(u) || !written(s) {
		c.Fault(pointer, "format",
			"must be an absolute https URL without user info and fragment, such as https://example.com/hooks")
	}
}

// written says whether an address is of bytes that a URI is written with; others stand in it as escapes.
func written(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
	})
}

// labelled says whether each label of a host's name has something in it; the root's, at the end, may be left out.
func labelled(host string) bool {
	return !slices.Contains(strings.Split(strings.TrimSuffix(host, "."), "."), "")
}

// port says whether an address names a port that there can be, or none.
func port(u *url.URL) bool {
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && n != 0
}

// hostname says whether an address names a host in a form of which there is one reading: a name, or an IP address as it
// is usually written. Whether that may be called is judged when it is dialled.
func hostname(u *url.URL) bool {
	if !port(u) {
		return false
	}
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		a, err := netip.ParseAddr(host)
		return err == nil && a.Is6() && a.Zone() == ""
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Is4()
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.Trim(strings.ToLower(l), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	// Some resolvers read 2130706433, 0x7f000001 and 127.1 as addresses.
	last := labels[len(labels)-1]
	return len(host) <= 253 && strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(strings.ToLower(last), "0x")
}

// Each visits the elements of a list with their pointers, where there are no more than there may be.
func Each[T any](c *Checker, pointer string, list []T, most int) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		if !c.Count(pointer, len(list), 0, most) {
			return
		}
		for i := range list {
			if !yield(pointer+"/"+Itoa(i), &list[i]) {
				return
			}
		}
	}
}

// Distinct demands that no id of a list is in it twice; a list that is not given is no fault.
func (c *Checker) Distinct(pointer string, list []ID, most int) {
	if list == nil || !c.Count(pointer, len(list), 1, most) {
		return
	}
	seen := make(map[ID]bool, len(list))
	for i, id := range list {
		if seen[id] {
			c.Fault(pointer+"/"+Itoa(i), "duplicate", "is named more than once")
		}
		seen[id] = true
	}
}

// Within adds the faults of a part.
func (c *Checker) Within(pointer string, faults []Fault) {
	for _, f := range faults {
		f.Pointer = pointer + f.Pointer
		if f.Hangs != "" {
			f.Hangs = pointer + f.Hangs
		}
		c.Faults = append(c.Faults, f)
	}
}

// DistinctValue is one that no two rows of a kind may have, with its pointer.
type DistinctValue struct{ Pointer, Value string }
