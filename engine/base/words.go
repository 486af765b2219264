package base

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// This file owns the words of texts, as searches compare them: runs of letters and digits, without case and accents.

// lettersAs are letters that have no accent to take off and are searched for as others.
var lettersAs = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th",
	"ı", "i", "ς", "σ")

// folded is a text without case and accents: letters that differ in these alone are the same.
func folded(text string) string {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(text)
	}
	return lettersAs.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text)))
}

// EachWord visits the words of a text in their order, until visit returns false.
func EachWord(text string, visit func(word string) bool) bool {
	text = folded(text)
	start := -1
	for i, r := range text {
		switch of := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r); {
		case of && start < 0:
			start = i
		case !of && start >= 0:
			if !visit(text[start:i]) {
				return false
			}
			start = -1
		}
	}
	return start < 0 || visit(text[start:])
}

// WordsOf are the words of texts.
func WordsOf(texts ...string) (words []string) {
	for _, t := range texts {
		EachWord(t, func(w string) bool {
			words = append(words, w)
			return true
		})
	}
	return words
}

// Uncased makes texts equal that differ in case alone, for those that compare parts of texts: it is in small letters,
// and a letter that has two small ones, as sigma, has one of them.
func Uncased(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.ToLower(FoldCode(text))
		}
	}
	return strings.ToLower(text)
}

// FoldCode makes texts equal that differ in case alone, as strings.EqualFold has it.
func FoldCode(code string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for n := unicode.SimpleFold(r); n != r; n = unicode.SimpleFold(n) {
			least = min(least, n)
		}
		return least
	}, code)
}
