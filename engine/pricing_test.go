package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of pricing tables and their rows.

var monthly = &commerce.SubscriptionTerms{
	Cycle: commerce.Period{Amount: 1, Unit: timeline.Months}, RenewalType: commerce.DefaultRenewalType,
	InitialCharge: commerce.DefaultInitialCharge,
}

func TestPricingTableKeepsItsRowsOverARestart(t *testing.T) {
	s := newShop(t)
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Bikes", External: true}}).(*commerce.PricingTable)
	row := s.do(commerce.CreatePricingRow{Table: table.ID, PricingRowFields: commerce.PricingRowFields{Label: "A day",
		Purchase: base.PurchaseBooking, Price: 2500}, Duration: &commerce.Period{Amount: 1,
		Unit: timeline.Days}}).(*commerce.PricingRow)
	plan := s.do(commerce.CreatePricingRow{Table: table.ID, PricingRowFields: commerce.PricingRowFields{Label: "Plan",
		Purchase: base.PurchaseSubscription, Price: 900}, Subscription: monthly}).(*commerce.PricingRow)
	button := s.do(commerce.CreateExternalPricingRow{Table: table.ID,
		ExternalPricingFields: commerce.ExternalPricingFields{Label: "Elsewhere",
			URL: "https://example.com/book?x=1#y"}}).(*commerce.ExternalPricingRow)

	p := commerce.PricingTableByID(s.view(), table.ID)
	require.Equal(t, uint64(4), p.Revision, "a change of a row is a change of the table")
	require.Equal(t, []commerce.PricingRow{*row, *plan}, p.Rows)
	require.Equal(t, []commerce.ExternalPricingRow{*button}, p.Externals)

	older := s.view()
	changed := s.do(commerce.PatchPricingRow{Table: table.ID, ID: row.ID, IfMatch: []uint64{1},
		Fields:   base.Changed(commerce.PricingRowFields{Label: "Two days"}),
		Duration: stock.BufferPatch{Amount: base.Some[int64](2)}}).(*commerce.PricingRow)
	require.Equal(t,
		commerce.PricingRow{ID: row.ID, Table: table.ID, PricingRowFields: commerce.PricingRowFields{Label: "Two days",
			Purchase: base.PurchaseBooking, Price: 2500}, Currency: "EUR", Duration: &commerce.Period{Amount: 2,
			Unit: timeline.Days}, Stamp: base.Stamp{UpdatedAt: s.now, Revision: 2}}, *changed)
	require.Equal(t, "A day", commerce.PricingTableByID(older, table.ID).Row(row.ID).Label,
		"a published version does not change")
	s.do(commerce.PatchExternalPricingRow{Table: table.ID, ID: button.ID,
		Fields: base.Changed(commerce.ExternalPricingFields{TranslatedLabel: ptr("Noutro lado")})})
	s.do(commerce.DeletePricingRow{Table: table.ID, ID: plan.ID})
	s.do(commerce.PatchPricingTable{ID: table.ID,
		Fields: base.Changed(commerce.PricingTableFields{Name: "All bikes"}, "externalPricingEnabled")})

	s.reopen()
	p = commerce.PricingTableByID(s.view(), table.ID)
	require.Equal(t, "All bikes", p.Name)
	require.False(t, p.External)
	require.Equal(t, []commerce.PricingRow{*changed}, p.Rows)
	require.Equal(t, "Noutro lado", *p.Externals[0].TranslatedLabel)
	s.do(commerce.DeleteExternalPricingRow{Table: table.ID, ID: button.ID})
	require.Empty(t, commerce.PricingTableByID(s.view(), table.ID).Externals)
	s.do(commerce.DeletePricingTable{ID: table.ID})
	require.Nil(t, commerce.PricingTableByID(s.view(), table.ID))
	s.refused(base.CodeNotFound, commerce.DeletePricingTable{ID: table.ID})
}

func TestPricingRowsAreCheckedAsAWhole(t *testing.T) {
	s := newShop(t)
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Bikes"}}).(*commerce.PricingTable)
	sale := s.do(commerce.CreatePricingRow{Table: table.ID, PricingRowFields: commerce.PricingRowFields{Label: "Buy",
		Purchase: base.PurchaseSale, Price: 0}}).(*commerce.PricingRow)
	faults := func(op base.Op, pointers ...string) {
		t.Helper()
		e := s.refused(base.CodeInvalid, op)
		var got []string
		for _, f := range e.Faults {
			got = append(got, f.Pointer+" "+f.Code)
		}
		require.Equal(t, pointers, got)
	}
	create := commerce.CreatePricingRow{Table: table.ID,
		PricingRowFields: commerce.PricingRowFields{Label: "x", Purchase: base.PurchaseSubscription}}
	faults(create, "/subscription required")
	create.Purchase, create.Subscription, create.Duration = base.PurchaseSale, monthly,
		&commerce.Period{Amount: 1, Unit: timeline.Days}
	faults(create, "/durationAmount forbidden", "/subscription forbidden")
	none := int64(0)
	faults(commerce.CreatePricingRow{Table: table.ID,
		PricingRowFields: commerce.PricingRowFields{Price: -1, Purchase: "gift"},
		Duration:         &commerce.Period{Unit: timeline.Days},
		Subscription: &commerce.SubscriptionTerms{CommitmentCycles: &none,
			InitialCharge: strings.Repeat("x", 256)}},
		"/label required", "/purchaseType enum", "/price range", "/durationAmount range",
		"/subscription/paymentCycleAmount range",
		"/subscription/commitmentCycles range", "/subscription/initialChargeType length")
	at := commerce.PatchPricingRow{Table: table.ID, ID: sale.ID}
	become := at
	become.Fields = base.Changed(commerce.PricingRowFields{Purchase: base.PurchaseSubscription})
	faults(become, "/subscription required")
	long := at
	long.Duration = stock.BufferPatch{Amount: base.Some[int64](3)}
	faults(long, "/durationAmount required")
	long.Duration.Unit = base.Some(timeline.Years)
	faults(long, "/durationAmount forbidden")
	become.Subscription = base.Some(commerce.SubscriptionPatch{Cycle: stock.BufferPatch{Amount: base.Some[int64](1)}})
	faults(become, "/subscription/paymentCycleAmount required")
	become.Subscription.Value = commerce.SubscriptionPatch{
		Fields: base.Changed(commerce.SubscriptionTerms{CommitmentCycles: ptr[int64](3)})}
	faults(become, "/subscription/paymentCycleAmount required")
	become.Subscription.Value = commerce.SubscriptionPatch{
		Cycle: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Months)}}
	require.Equal(t, monthly, s.do(become).(*commerce.PricingRow).Subscription)

	// Terms are merged as the rest is.
	terms := at
	terms.Subscription = base.Some(commerce.SubscriptionPatch{
		Fields: base.Changed(commerce.SubscriptionTerms{CommitmentCycles: ptr[int64](12),
			RenewalType: "each_year"}),
		CancellationLead: stock.BufferPatch{Amount: base.Some[int64](2), Unit: base.Some(timeline.Weeks)},
	})
	want := *monthly
	want.CommitmentCycles, want.CancellationLead, want.RenewalType = ptr[int64](12),
		&commerce.Period{Amount: 2, Unit: timeline.Weeks}, "each_year"
	require.Equal(t, &want, s.do(terms).(*commerce.PricingRow).Subscription)
	terms.Subscription = base.Some(commerce.SubscriptionPatch{
		Fields:           base.Changed(commerce.SubscriptionTerms{}, "commitmentCycles", "renewalType"),
		Cycle:            stock.BufferPatch{Unit: base.Some(timeline.Years)},
		CancellationLead: stock.BufferPatch{Unit: base.Null[timeline.Unit]()},
	})
	want = *monthly
	want.Cycle.Unit = timeline.Years
	require.Equal(t, &want, s.do(terms).(*commerce.PricingRow).Subscription)
	terms.Subscription.Value = commerce.SubscriptionPatch{
		Cycle: stock.BufferPatch{Amount: base.Some[int64](0)},
		Fields: base.Changed(commerce.SubscriptionTerms{RenewalPrice: ptr[int64](-1), CommitmentCycles: ptr[int64](0),
			InitialCharge: strings.Repeat("x", 256)}),
	}
	faults(terms, "/subscription/paymentCycleAmount range", "/subscription/renewalPrice range",
		"/subscription/commitmentCycles range", "/subscription/initialChargeType length")
	require.Equal(t, base.PurchaseSale,
		s.do(commerce.PatchPricingRow{Table: table.ID, ID: sale.ID,
			Fields:       base.Changed(commerce.PricingRowFields{Purchase: base.PurchaseSale}),
			Subscription: base.Null[commerce.SubscriptionPatch]()}).(*commerce.PricingRow).Purchase)

	match := at
	match.IfMatch = []uint64{1}
	s.refused(base.CodePrecondition, match)
	s.refused(base.CodePrecondition, commerce.DeletePricingRow{Table: table.ID, ID: sale.ID, IfMatch: []uint64{9}})
	s.refused(base.CodePrecondition, commerce.PatchPricingTable{ID: table.ID, IfMatch: []uint64{1}})
	s.refused(base.CodeNotFound, commerce.DeletePricingRow{Table: table.ID, ID: table.ID})
	s.refused(base.CodeNotFound, commerce.PatchExternalPricingRow{Table: table.ID, ID: sale.ID})
	s.refused(base.CodeNotFound,
		commerce.CreateExternalPricingRow{Table: sale.ID,
			ExternalPricingFields: commerce.ExternalPricingFields{Label: "x", URL: "https://example.com"}})
	for i := range commerce.MaxPricingRows - 1 {
		s.do(commerce.CreatePricingRow{Table: table.ID,
			PricingRowFields: commerce.PricingRowFields{Label: "row " + base.Itoa(i), Purchase: base.PurchaseSale}})
	}
	create = commerce.CreatePricingRow{Table: table.ID,
		PricingRowFields: commerce.PricingRowFields{Label: "one more", Purchase: base.PurchaseSale}}
	faults(create, " range")
}

func TestLinksAreAbsoluteAddressesOfTheWeb(t *testing.T) {
	s := newShop(t)
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Bikes"}}).(*commerce.PricingTable)
	create := func(url string) commerce.CreateExternalPricingRow {
		return commerce.CreateExternalPricingRow{Table: table.ID,
			ExternalPricingFields: commerce.ExternalPricingFields{Label: "x", URL: url}}
	}
	for _, url := range []string{
		"", "example.com", "/book", "//example.com/book", "ftp://example.com", "javascript:alert(1)", "http://",
		"https://:443/x", "https:example.com",
		"https://exa mple.com", "https://bücher.example", "https://example.com/\x00", "mailto:a@example.com",
		"https://example.com/" + strings.Repeat("x", 2029),
		"https://example.com/{id}", "https://example.com/a|b", "https://example.com/^", "https://example.com/`",
		`https://example.com/"`, `https://example.com/a\b`, "https://example.com/<a>", "https://.", "https://a..b",
		"https://.example.com",
	} {
		s.refused(base.CodeInvalid, create(url))
	}
	for _, url := range []string{
		"http://example.com", "https://example.com:8443/a?b=c&d=%20#e", "HTTPS://EXAMPLE.com/", "http://[::1]/",
		"https://example.com./", "https://example.com/a%7Bb",
		"https://example.com/" + strings.Repeat("x", 2028),
	} {
		r := s.do(create(url)).(*commerce.ExternalPricingRow)
		require.Equal(t, url, r.URL, "as given")
		s.refused(base.CodeInvalid, commerce.PatchExternalPricingRow{Table: table.ID, ID: r.ID,
			Fields: base.Changed(commerce.ExternalPricingFields{URL: "book"})})
	}
}

// A combination names the rows that it takes, and no others.
func TestACombinationNamesOnlyWhatItTakes(t *testing.T) {
	s := newShop(t)
	of := func(id byte, price int64, unit timeline.Unit) *commerce.PricingRow {
		return &commerce.PricingRow{ID: base.ID{id}, PricingRowFields: commerce.PricingRowFields{Price: price},
			Duration: &commerce.Period{Amount: 1, Unit: unit}}
	}
	rows := []*commerce.PricingRow{of(1, 9000, timeline.Weeks), of(2, 2000, timeline.Days), of(3, 100, timeline.Hours)}
	zone := stock.LocationKind.In(s.view().Acc).Get(s.loc).Zone()
	c := commerce.Combine(rows, base.Span{Start: noon, End: noon + 3*hour}, zone, new(commerce.Looked))
	require.Equal(t, &commerce.Combination{Total: 300, Rows: []commerce.RowUnits{{Row: base.ID{3}, Units: 3}}}, c)
}
