//go:build live

package holdfast_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	holdfast "holdfast/api/client/go"
)

// This file goes from the stock to the return with a live server, whose every write is carried out, and then lost or
// refused, before it is answered: HOLDFAST_URL names what is in front of the server. fuzz/clients starts both.

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func live(t *testing.T) *holdfast.Client {
	t.Helper()
	return must(holdfast.New(os.Getenv("HOLDFAST_URL"), os.Getenv("HOLDFAST_KEY")))(t)
}

func TestLiveBooking(t *testing.T) {
	ctx, hf := t.Context(), live(t)
	place := must(hf.Locations.Create(ctx, holdfast.CreateLocation{Name: "Lisbon (Go)", Timezone: "Europe/Lisbon"}))(t)
	sku := must(hf.SKUs.Create(ctx,
		holdfast.CreateSKU{Name: "Cargo bike", PurchasePrice: holdfast.Set[int64](289900)}))(t)
	article := must(hf.Articles.Create(ctx, holdfast.CreateArticle{
		Name: "Bikes", SKUID: holdfast.Set(sku.ID), Quantities: holdfast.Set([]holdfast.InitialQuantity{
			{ServiceLocationID: place.ID, Count: 2, From: holdfast.Set(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))},
		}),
	}))(t)
	table := must(hf.PricingTables.Create(ctx, holdfast.CreatePricingTable{Name: "Bikes"}))(t)
	row := must(hf.PricingTables.CreateRow(ctx, table.ID, holdfast.CreatePricingRow{
		Label: "Day", PurchaseType: holdfast.PurchaseTypeBooking, Price: 4500,
		DurationAmount: holdfast.Set[int64](1), DurationUnit: holdfast.Set(holdfast.TimeUnitDays),
	}))(t)
	item := must(hf.Catalog.Create(ctx, holdfast.CreateCatalogItem{
		Name: "Cargo bike", Status: holdfast.Set(holdfast.ArticleStatusActive), PricingTableID: holdfast.Set(table.ID),
		Components: holdfast.Set([]holdfast.CatalogComponentInput{{SKUID: holdfast.Set(sku.ID)}}),
	}))(t)

	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	to := from.AddDate(0, 0, 2)
	free := func(want int64) {
		t.Helper()
		a := must(hf.Availability.Get(ctx, holdfast.AvailabilityGetQuery{
			CatalogItemID: item.ID, ServiceLocationID: place.ID, From: from, To: to,
		}))(t)
		same(t, "free", a.Available, want)
	}
	free(2)

	// All of it is carried out at the first attempt, of which no answer comes. Nothing is done twice.
	line := holdfast.HoldLineInput{
		CatalogItemID: holdfast.Set(item.ID), ServiceLocationID: place.ID, From: from, To: holdfast.Set(to),
	}
	cart := holdfast.PlaceHold{Lines: []holdfast.HoldLineInput{line}, ExpiresInSeconds: holdfast.Set[int64](600)}
	var header http.Header
	hold := must(hf.Holds.Create(ctx, cart, holdfast.ResponseHeader(&header)))(t)
	same(t, "hold", hold.Status, holdfast.HoldStatusHeld)
	same(t, "answered again", header.Get("Idempotent-Replayed"), "true")
	free(1)
	read := must(hf.Articles.Get(ctx, article.ID, holdfast.ArticlesGetQuery{
		DateRange: &holdfast.DateRange{From: from, To: to},
	}))(t)
	same(t, "units taken", len(read.Unavailability), 1)

	cart.Lines[0].Quantity = holdfast.Set[int64](2)
	_, err := hf.Holds.Create(ctx, cart)
	var p *holdfast.Problem
	if !errors.As(err, &p) || !errors.Is(err, holdfast.CodeInsufficientAvailability) {
		t.Fatalf("got %v, want the refusal", err)
	}
	short, ok := p.InsufficientAvailability()
	same(t, "there are details", ok, true)
	same(t, "short", fmt.Sprint(short.Lines[0].Requested, short.Lines[0].Available), "2 1")

	order := must(hf.Holds.Order(ctx, hold.ID, holdfast.OrderHold{Reference: holdfast.Set("WEB-1")}))(t)
	priced := must(hf.Orders.UpdateLineItem(ctx, order.ID, order.LineItems[0].ID, holdfast.PatchLineItem{
		PricingRowID: holdfast.Set(row.ID),
	}))(t)
	same(t, "price", priced.Pricing.Total, 9000)
	order = must(hf.Orders.RecordPayment(ctx, order.ID, holdfast.RecordPayment{
		Kind: holdfast.PaymentKindCapture, Amount: priced.Pricing.Total,
	}))(t)
	same(t, "captured once", order.CapturedTotal, 9000)
	must(hf.Orders.Prepare(ctx, order.ID, holdfast.PrepareOrder{}))(t)
	must(hf.Orders.Fulfill(ctx, order.ID, holdfast.HandOver{}))(t)
	order = must(hf.Orders.Return(ctx, order.ID, holdfast.TakeBack{}))(t)
	same(t, "order", order.Status, holdfast.OrderStatusClosed)
	free(2)
}

func TestLiveRefusals(t *testing.T) {
	ctx, hf := t.Context(), live(t)
	_, err := hf.SKUs.Create(ctx, holdfast.CreateSKU{})
	var p *holdfast.Problem
	if !errors.As(err, &p) || len(p.Errors) != 1 {
		t.Fatalf("got %v, want one fault", err)
	}
	same(t, "fault", p.Errors[0].Pointer, "/name")

	var header http.Header
	sku := must(hf.SKUs.Create(ctx, holdfast.CreateSKU{Name: "Tent"}, holdfast.ResponseHeader(&header)))(t)
	etag := header.Get("ETag")
	_, err = hf.SKUs.Get(ctx, sku.ID, holdfast.IfNoneMatch(etag))
	same(t, "unchanged", err, holdfast.ErrNotModified)
	must(hf.SKUs.Update(ctx, sku.ID, holdfast.PatchSKU{Code: holdfast.Set("T1")}, holdfast.IfMatch(etag)))(t)
	_, err = hf.SKUs.Update(ctx, sku.ID, holdfast.PatchSKU{Code: holdfast.Set("T2")}, holdfast.IfMatch(etag))
	same(t, "changed meanwhile", errors.Is(err, holdfast.CodePreconditionFailed), true)
	sku = must(hf.SKUs.Update(ctx, sku.ID, holdfast.PatchSKU{Code: holdfast.Null[string]()}))(t)
	same(t, "code taken away", sku.Code == nil, true)
	if err := hf.SKUs.Delete(ctx, sku.ID); err != nil {
		t.Fatal(err)
	}
	_, err = hf.SKUs.Get(ctx, sku.ID)
	same(t, "gone", errors.Is(err, holdfast.CodeNotFound), true)

	list := must(hf.Articles.Search(ctx, holdfast.ListArticles{Search: holdfast.Set("no such")}))(t)
	same(t, "found", list.TotalCount, 0)
	other := must(holdfast.New(os.Getenv("HOLDFAST_URL"), "hf_unknown0_ssssssssssssssssssssssssssssssss"))(t)
	_, err = other.Account.Get(ctx)
	same(t, "unknown key", errors.Is(err, holdfast.CodeUnauthenticated), true)
}

func TestLivePages(t *testing.T) {
	ctx, hf := t.Context(), live(t)
	var want []string
	for i := range 7 {
		c := must(hf.Customers.Create(ctx, holdfast.CustomerInput{LastName: holdfast.Set(fmt.Sprint("Silva ", i))}))(t)
		want = append(want, c.ID)
	}
	snapshot := must(hf.Snapshots.Create(ctx))(t)
	must(hf.Customers.Create(ctx, holdfast.CustomerInput{LastName: holdfast.Set("later")}))(t)
	var got []string
	query := holdfast.CustomersListQuery{PageSize: 3}
	for customer, err := range hf.Customers.All(ctx, query, holdfast.AsOf(snapshot.Sequence)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, customer.ID)
	}
	// Other clients may have made some before.
	same(t, "customers", fmt.Sprint(got[len(got)-len(want):]), fmt.Sprint(want))
	for _, err := range hf.Articles.All(ctx, holdfast.ArticlesListQuery{PageSize: 1}) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What the server has sent before and while its secret was rotated, and after.
func TestLiveWebhooks(t *testing.T) {
	var sent struct {
		Secrets    []string
		Deliveries []struct {
			Headers   map[string]string
			Body      string
			Good      []int
			BodyAlone int
		}
	}
	text := must(os.ReadFile(os.Getenv("HOLDFAST_DELIVERIES")))(t)
	if err := json.Unmarshal(text, &sent); err != nil {
		t.Fatal(err)
	}
	same(t, "deliveries", len(sent.Deliveries), 4)
	for _, d := range sent.Deliveries {
		header := http.Header{}
		for name, value := range d.Headers {
			header.Set(name, value)
		}
		good := map[int]bool{}
		for _, i := range d.Good {
			good[i] = true
		}
		for i, secret := range sent.Secrets {
			event, err := holdfast.VerifyWebhook(secret, header, []byte(d.Body))
			same(t, "verified", err == nil, good[i])
			if err == nil {
				same(t, "event", event.EventID, d.Headers["webhook-id"])
				same(t, "kind", event.EventType, holdfast.EventTypeOrderCreated)
			}
			_, err = holdfast.VerifyWebhook(secret, header, []byte(d.Body+" "))
			same(t, "another body", err, holdfast.ErrWebhookSignature)
			_, err = holdfast.VerifyServiceSignature(secret, header, []byte(d.Body))
			same(t, "verified by the body alone", err == nil, i == d.BodyAlone)
		}
	}
}
