package main

import (
	"strings"
	"unicode"
)

// This file owns names: how the document's become Go's, and how its sentences become comments.

// initials are the words that Go writes in capitals.
var initials = map[string]string{
	"id": "ID", "ids": "IDs", "sku": "SKU", "skus": "SKUs", "url": "URL", "uri": "URI", "api": "API", "json": "JSON",
}

// maxLine is how long a generated line may be, counted in bytes.
const maxLine = 110

// words takes a name apart: asOf, ORDER_CLOSED, order-line.
func words(name string) (all []string) {
	shout := strings.ToUpper(name) == name
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			all = append(all, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && !shout:
			end()
		}
		word.WriteRune(r)
	}
	end()
	return all
}

// exported makes a name that other packages see.
func exported(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		if capital, ok := initials[word]; ok {
			b.WriteString(capital)
		} else {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// local makes a name of a parameter.
func local(name string) string {
	all := words(name)
	return all[0] + exported(strings.Join(all[1:], "_"))
}

// sentence makes the first sentence of a comment: the name, and what it does.
func sentence(name, text string) string {
	if text == "" {
		return name + "."
	}
	return name + " " + strings.ToLower(text[:1]) + text[1:]
}

// comment wraps a text in lines that are not too long.
func comment(indent, text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := indent + "//"
		for _, word := range strings.Fields(paragraph) {
			if len(line)+1+len(word) > maxLine && line != indent+"//" {
				b.WriteString(line + "\n")
				line = indent + "//"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
