package main

// This file owns amounts of money in cells: decimal ones become minor units, by the digits that ISO 4217 gives a
// currency.

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// moneyColumns are the columns whose whole numbers are minor units of the account's currency.
var moneyColumns = []string{"purchasePrice", "itemCosts"}

// Currencies that do not have two digits after the point.
const (
	wholeCurrencies = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
	milliCurrencies = "BHD IQD JOD KWD LYD OMR TND"
)

func digitsOf(currency string) int {
	switch {
	case strings.Contains(wholeCurrencies, currency):
		return 0
	case strings.Contains(milliCurrencies, currency):
		return 3
	}
	return 2
}

// moneyReader reads the amounts of one file.
type moneyReader struct {
	currency string
	digits   int
	comma    bool // may stand for the point
	decimal  bool // there was an amount that is no minor units
	whole    []wholeAmount
}

// wholeAmount is where a number stands that could be minor units or an amount.
type wholeAmount struct {
	line   int
	column string
}

var amountForm = regexp.MustCompile(`^(-?)(0|[1-9][0-9]*)(?:([.,])([0-9]+))?(?: ?([A-Za-z]{3}))?$`)

// value is a cell in minor units.
func (m *moneyReader) value(line int, column, cell string) (value json.RawMessage, fault string) {
	parts := amountForm.FindStringSubmatch(cell)
	if parts == nil || parts[3] == "," && !m.comma {
		return nil, m.form()
	}
	sign, whole, point, behind, currency := parts[1], parts[2], parts[3], parts[4], parts[5]
	switch {
	case currency != "" && !strings.EqualFold(currency, m.currency):
		return nil, "is in " + strings.ToUpper(currency) + ", and the account has " + m.currency
	case len(behind) > m.digits:
		return nil, fmt.Sprintf("has more decimal digits than %s, which has %d", m.currency, m.digits)
	case point == "" && currency == "":
		if m.digits > 0 && whole != "0" {
			m.whole = append(m.whole, wholeAmount{line, column})
		}
	default:
		m.decimal = true
		whole += behind + strings.Repeat("0", m.digits-len(behind))
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		return json.RawMessage("0"), ""
	}
	return json.RawMessage(sign + whole), ""
}

// form says how an amount is written.
func (m *moneyReader) form() string {
	switch m.digits {
	case 0:
		return "must be an amount like 1250 or 1250 " + m.currency
	case 3:
		return "must be an amount like 1.250 or 1.250 " + m.currency + ", or whole minor units like 1250"
	}
	return "must be an amount like 12.50 or 12.50 " + m.currency + ", or whole minor units like 1250"
}

// mixed are the faults of whole numbers in a file that has decimal amounts, too: a table that drops .00 wrote 12 for
// 12.00, while 12 is read as 0.12.
func (m *moneyReader) mixed() (faults []rowFault) {
	if !m.decimal {
		return nil
	}
	for _, w := range m.whole {
		faults = append(faults, rowFault{w.line, w.column +
			" could be minor units, or an amount as others in this file: write it with a decimal point, or with " +
			m.currency + " behind it"})
	}
	return faults
}
