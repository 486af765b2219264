package main

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/api"
	"holdfast/api/console"
	"holdfast/engine/base"
)

// This file owns the tests of amounts of money in cells.

// readPrices reads cells of a money column, quoted, in a file with a separator.
func readPrices(t require.TestingT, currency string, separator byte, cells ...string) (rows, faults []string) {
	file := "name" + string(separator) + "purchasePrice\n"
	for _, c := range cells {
		file += "A" + string(separator) + `"` + c + `"` + "\n"
	}
	form := rowForm{format: formatCSV, currency: func() (string, error) { return currency, nil }}
	read, bad, err := readRows(strings.NewReader(file), form, api.ExchangeRow("skus"))
	require.NoError(t, err)
	require.Len(t, read, len(cells), "a row with a bad amount is still judged in all else")
	for _, r := range read {
		price := strings.TrimPrefix(strings.TrimSuffix(string(r.json), "}"), `{"name":"A"`)
		rows = append(rows, strings.TrimPrefix(price, `,"purchasePrice":`))
	}
	for _, f := range bad {
		faults = append(faults, f.Error())
	}
	return rows, faults
}

func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		currency  string
		separator byte
		cell      string
		want      string // JSON, or the fault
	}{
		{"EUR", ',', "1250", "1250"},
		{"EUR", ',', "-5", "-5"},
		{"EUR", ',', "12.50", "1250"},
		{"EUR", ',', "12.5", "1250"},
		{"EUR", ',', " 12.50 EUR ", "1250"},
		{"EUR", ',', "12 eur", "1200"},
		{"EUR", ',', "12EUR", "1200"},
		{"EUR", ',', "0.05", "5"},
		{"EUR", ',', "-0.05", "-5"},
		{"EUR", ',', "-0.00", "0"},
		{"EUR", ',', "0 EUR", "0"},
		{"EUR", ',', "123456789012345678901.00", "12345678901234567890100"},
		{"JPY", ',', "1250", "1250"},
		{"JPY", ',', "1250 JPY", "1250"},
		{"BHD", ',', "1.250 BHD", "1250"},
		{"BHD", ',', "1.25", "1250"},
		{"EUR", ';', "12,50", "1250"},
		{"EUR", ';', "12.50", "1250"},
		{"EUR", ',', "12.500", "line 2: purchasePrice has more decimal digits than EUR, which has 2"},
		{"JPY", ',', "12.5", "line 2: purchasePrice has more decimal digits than JPY, which has 0"},
		{"BHD", ',', "1.2500", "line 2: purchasePrice has more decimal digits than BHD, which has 3"},
		{"EUR", ',', "12 USD", "line 2: purchasePrice is in USD, and the account has EUR"},
		{"EUR", ',', "12,50",
			"line 2: purchasePrice must be an amount like 12.50 or 12.50 EUR, or whole minor units like 1250"},
		{"EUR", ';', "1.250,00",
			"line 2: purchasePrice must be an amount like 12.50 or 12.50 EUR, or whole minor units like 1250"},
		{"JPY", ',', "1e3", "line 2: purchasePrice must be an amount like 1250 or 1250 JPY"},
		{"BHD", ',', ".5",
			"line 2: purchasePrice must be an amount like 1.250 or 1.250 BHD, or whole minor units like 1250"},
	} {
		t.Run(c.currency+" "+c.cell, func(t *testing.T) {
			rows, faults := readPrices(t, c.currency, c.separator, c.cell)
			if strings.HasPrefix(c.want, "line") {
				require.Equal(t, []string{c.want}, faults)
				require.Equal(t, []string{""}, rows)
				return
			}
			require.Empty(t, faults)
			require.Equal(t, []string{c.want}, rows)
		})
	}
}

// A whole number beside decimal amounts could be either, so it is refused; among its like it is minor units, as an
// export has them.
func TestAmountsOfOneFile(t *testing.T) {
	rows, faults := readPrices(t, "EUR", ',', "12", "0", "12.50", "1250", "1250 EUR")
	require.Equal(t, []string{"12", "0", "1250", "1250", "125000"}, rows)
	const text = "purchasePrice could be minor units, or an amount as others in this file: write it with a decimal " +
		"point, or with EUR behind it"
	require.Equal(t, []string{"line 2: " + text, "line 5: " + text}, faults)
	_, faults = readPrices(t, "EUR", ',', "12", "0", "1250")
	require.Empty(t, faults)
	rows, faults = readPrices(t, "JPY", ',', "12", "12 JPY")
	require.Empty(t, faults)
	require.Equal(t, []string{"12", "12"}, rows)
	_, bad, err := readRows(strings.NewReader("name,itemCosts,purchasePrice\nA,12,\nB,,12.50\n"), euroForm(formatCSV),
		api.ExchangeRow("articles"))
	require.NoError(t, err)
	require.Equal(t, []rowFault{{2, strings.Replace(text, "purchasePrice", "itemCosts", 1)}}, bad)
}

// An amount is its digits without the point, filled up to those of the currency.
func TestAmountsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"EUR", "BHD", "CLP"}).Draw(t, "currency")
		minor := rapid.Int64Range(-1<<53, 1<<53).Draw(t, "minor")
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digitsOf(currency))), nil)
		text := new(big.Rat).SetFrac(big.NewInt(minor), scale).FloatString(digitsOf(currency))
		rows, faults := readPrices(t, currency, ',', text+" "+currency)
		require.Empty(t, faults)
		require.Equal(t, big.NewInt(minor).String(), rows[0])
	})
}

// Whoever gives rows a new column of whole numbers decides here whether it is money.
func TestMoneyColumns(t *testing.T) {
	var money, others []string
	for _, resource := range api.ExchangeNames() {
		for _, c := range columnsOf(api.ExchangeRow(resource)) {
			switch {
			case slices.Contains(moneyColumns, c.name):
				require.Equal(t, "integer", c.of.Type)
				money = append(money, resource+" "+c.name)
			case c.of.Type == "integer":
				others = append(others, c.name[strings.LastIndex(c.name, ".")+1:])
			}
		}
	}
	require.Equal(t, []string{"skus purchasePrice", "articles purchasePrice", "articles itemCosts"}, money)
	slices.Sort(others)
	require.Equal(t, []string{"bufferTimeAmountAfter", "bufferTimeAmountBefore", "count", "expiresInSeconds", "level",
		"quantity", "size"}, slices.Compact(others))
}

// The currencies with other than two digits are ones that an account can have.
func TestDigitsOfCurrencies(t *testing.T) {
	for _, list := range []string{wholeCurrencies, milliCurrencies} {
		for _, code := range strings.Fields(list) {
			require.Empty(t, base.FaultsIn(base.CreateAccount{
				AccountFields: base.AccountFields{Name: "A", Currency: code}}), code)
		}
	}
	require.Equal(t, []int{2, 2, 0, 0, 3, 3},
		[]int{digitsOf("EUR"), digitsOf("MGA"), digitsOf("JPY"), digitsOf("UGX"), digitsOf("TND"), digitsOf("IQD")})
}

// The console has the same ones.
func TestConsoleHasTheDigitsOfCurrencies(t *testing.T) {
	f, ok := console.Find("store.js")
	require.True(t, ok)
	require.Contains(t, string(f.Body), `("`+wholeCurrencies+`".includes(currency) ? 0 : "`+milliCurrencies+
		`".includes(currency) ? 3 : 2)`)
}

// The currency is asked for only where it is needed, and what is wrong with that ends the reading.
func TestCurrencyIsAskedFor(t *testing.T) {
	lost := errors.New("no server answers")
	form := rowForm{format: formatCSV, currency: func() (string, error) { return "", lost }}
	_, _, err := readRows(strings.NewReader("name\nA\n"), form, api.ExchangeRow("skus"))
	require.NoError(t, err)
	_, _, err = readRows(strings.NewReader("name,PurchasePrice\nA,\n"), form, api.ExchangeRow("skus"))
	require.ErrorIs(t, err, lost)
}
