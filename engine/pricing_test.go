package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the tests of pricing tables and their rows.

var monthly = &SubscriptionTerms{
	Cycle: Period{Amount: 1, Unit: timeline.Months}, RenewalType: DefaultRenewalType, InitialCharge: DefaultInitialCharge,
}

func TestPricingTableKeepsItsRowsOverARestart(t *testing.T) {
	s := newShop(t)
	table := s.do(CreatePricingTable{Name: "Bikes", External: true}).(*PricingTable)
	row := s.do(CreatePricingRow{Table: table.ID, Label: "A day", Purchase: PurchaseBooking, Price: 2500, Duration: &Period{Amount: 1, Unit: timeline.Days}}).(*PricingRow)
	plan := s.do(CreatePricingRow{Table: table.ID, Label: "Plan", Purchase: PurchaseSubscription, Price: 900, Subscription: monthly}).(*PricingRow)
	button := s.do(CreateExternalPricingRow{Table: table.ID, Label: "Elsewhere", URL: "https://example.com/book?x=1#y"}).(*ExternalPricingRow)

	p := s.view().PricingTable(table.ID)
	require.Equal(t, uint64(4), p.Revision, "a change of a row is a change of the table")
	require.Equal(t, []PricingRow{*row, *plan}, p.Rows)
	require.Equal(t, []ExternalPricingRow{*button}, p.Externals)

	older := s.view()
	changed := s.do(PatchPricingRow{Table: table.ID, ID: row.ID, IfMatch: []uint64{1}, Label: Some("Two days"), Duration: BufferPatch{Amount: Some[int64](2)}}).(*PricingRow)
	require.Equal(t, PricingRow{
		ID: row.ID, Table: table.ID, Label: "Two days", Purchase: PurchaseBooking, Price: 2500, Currency: "EUR", Duration: &Period{Amount: 2, Unit: timeline.Days},
		UpdatedAt: s.now, Revision: 2,
	}, *changed)
	require.Equal(t, "A day", older.PricingTable(table.ID).Row(row.ID).Label, "a published version does not change")
	s.do(PatchExternalPricingRow{Table: table.ID, ID: button.ID, TranslatedLabel: Some("Noutro lado")})
	s.do(DeletePricingRow{Table: table.ID, ID: plan.ID})
	s.do(PatchPricingTable{ID: table.ID, Name: Some("All bikes"), External: Some(false)})

	s.reopen()
	p = s.view().PricingTable(table.ID)
	require.Equal(t, "All bikes", p.Name)
	require.False(t, p.External)
	require.Equal(t, []PricingRow{*changed}, p.Rows)
	require.Equal(t, "Noutro lado", *p.Externals[0].TranslatedLabel)
	s.do(DeleteExternalPricingRow{Table: table.ID, ID: button.ID})
	require.Empty(t, s.view().PricingTable(table.ID).Externals)
	s.do(DeletePricingTable{ID: table.ID})
	require.Nil(t, s.view().PricingTable(table.ID))
	s.refused(CodeNotFound, DeletePricingTable{ID: table.ID})
}

func TestPricingRowsAreCheckedAsAWhole(t *testing.T) {
	s := newShop(t)
	table := s.do(CreatePricingTable{Name: "Bikes"}).(*PricingTable)
	sale := s.do(CreatePricingRow{Table: table.ID, Label: "Buy", Purchase: PurchaseSale, Price: 0}).(*PricingRow)
	faults := func(op Op, pointers ...string) {
		t.Helper()
		e := s.refused(CodeInvalid, op)
		var got []string
		for _, f := range e.Faults {
			got = append(got, f.Pointer+" "+f.Code)
		}
		require.Equal(t, pointers, got)
	}
	create := CreatePricingRow{Table: table.ID, Label: "x", Purchase: PurchaseSubscription}
	faults(create, "/subscription required")
	create.Purchase, create.Subscription, create.Duration = PurchaseSale, monthly, &Period{Amount: 1, Unit: timeline.Days}
	faults(create, "/durationAmount forbidden", "/subscription forbidden")
	none := int64(0)
	faults(CreatePricingRow{Table: table.ID, Price: -1, Purchase: "gift", Duration: &Period{Unit: timeline.Days}, Subscription: &SubscriptionTerms{CommitmentCycles: &none}},
		"/label required", "/purchaseType enum", "/price range", "/durationAmount range", "/subscription/paymentCycleAmount range",
		"/subscription/commitmentCycles range", "/subscription/renewalType required", "/subscription/initialChargeType required")
	at := PatchPricingRow{Table: table.ID, ID: sale.ID}
	become := at
	become.Purchase = Some(PurchaseSubscription)
	faults(become, "/subscription required")
	long := at
	long.Duration = BufferPatch{Amount: Some[int64](3)}
	faults(long, "/durationAmount required")
	long.Duration.Unit = Some(timeline.Years)
	faults(long, "/durationAmount forbidden")
	become.Subscription = Some(SubscriptionPatch{Cycle: BufferPatch{Amount: Some[int64](1)}})
	faults(become, "/subscription/paymentCycleAmount required")
	become.Subscription.Value = SubscriptionPatch{CommitmentCycles: Some[int64](3)}
	faults(become, "/subscription/paymentCycleAmount required")
	become.Subscription.Value = SubscriptionPatch{Cycle: BufferPatch{Amount: Some[int64](1), Unit: Some(timeline.Months)}}
	require.Equal(t, monthly, s.do(become).(*PricingRow).Subscription)

	// Terms are merged as the rest is.
	terms := at
	terms.Subscription = Some(SubscriptionPatch{
		CommitmentCycles: Some[int64](12), CancellationLead: BufferPatch{Amount: Some[int64](2), Unit: Some(timeline.Weeks)}, RenewalType: Some("each_year"),
	})
	want := *monthly
	want.CommitmentCycles, want.CancellationLead, want.RenewalType = ptr[int64](12), &Period{Amount: 2, Unit: timeline.Weeks}, "each_year"
	require.Equal(t, &want, s.do(terms).(*PricingRow).Subscription)
	terms.Subscription = Some(SubscriptionPatch{
		Cycle: BufferPatch{Unit: Some(timeline.Years)}, CommitmentCycles: Null[int64](), CancellationLead: BufferPatch{Unit: Null[timeline.Unit]()}, RenewalType: Null[string](),
	})
	want = *monthly
	want.Cycle.Unit = timeline.Years
	require.Equal(t, &want, s.do(terms).(*PricingRow).Subscription)
	terms.Subscription.Value = SubscriptionPatch{Cycle: BufferPatch{Amount: Some[int64](0)}, RenewalPrice: Some[int64](-1), CommitmentCycles: Some[int64](0), InitialCharge: Some("")}
	faults(terms, "/subscription/paymentCycleAmount range", "/subscription/renewalPrice range", "/subscription/commitmentCycles range", "/subscription/initialChargeType required")
	require.Equal(t, PurchaseSale, s.do(PatchPricingRow{Table: table.ID, ID: sale.ID, Purchase: Some(PurchaseSale), Subscription: Null[SubscriptionPatch]()}).(*PricingRow).Purchase)

	match := at
	match.IfMatch = []uint64{1}
	s.refused(CodePrecondition, match)
	s.refused(CodePrecondition, DeletePricingRow{Table: table.ID, ID: sale.ID, IfMatch: []uint64{9}})
	s.refused(CodePrecondition, PatchPricingTable{ID: table.ID, IfMatch: []uint64{1}})
	s.refused(CodeNotFound, DeletePricingRow{Table: table.ID, ID: table.ID})
	s.refused(CodeNotFound, PatchExternalPricingRow{Table: table.ID, ID: sale.ID})
	s.refused(CodeNotFound, CreateExternalPricingRow{Table: sale.ID, Label: "x", URL: "https://example.com"})
	for i := range maxPricingRows - 1 {
		s.do(CreatePricingRow{Table: table.ID, Label: "row " + itoa(i), Purchase: PurchaseSale})
	}
	create = CreatePricingRow{Table: table.ID, Label: "one more", Purchase: PurchaseSale}
	faults(create, " range")
}

func TestLinksAreAbsoluteAddressesOfTheWeb(t *testing.T) {
	s := newShop(t)
	table := s.do(CreatePricingTable{Name: "Bikes"}).(*PricingTable)
	for _, url := range []string{
		"", "example.com", "/book", "//example.com/book", "ftp://example.com", "javascript:alert(1)", "http://", "https://:443/x", "https:example.com",
		"https://exa mple.com", "https://bücher.example", "https://example.com/\x00", "mailto:a@example.com", "https://example.com/" + strings.Repeat("x", 2029),
	} {
		s.refused(CodeInvalid, CreateExternalPricingRow{Table: table.ID, Label: "x", URL: url})
	}
	for _, url := range []string{
		"http://example.com", "https://example.com:8443/a?b=c&d=%20#e", "HTTPS://EXAMPLE.com/", "http://[::1]/", "https://example.com/" + strings.Repeat("x", 2028),
	} {
		r := s.do(CreateExternalPricingRow{Table: table.ID, Label: "x", URL: url}).(*ExternalPricingRow)
		require.Equal(t, url, r.URL, "as given")
		s.refused(CodeInvalid, PatchExternalPricingRow{Table: table.ID, ID: r.ID, URL: Some("book")})
	}
}
