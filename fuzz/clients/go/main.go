// Command round goes the round of fuzz/clients/doc.go with a client that oapi-codegen makes of the document, before this is
// built.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/oapi-codegen/runtime/types"

	api "holdfast-client-round/generated"
)

// This file owns the round.

func main() {
	if err := round(context.Background(), os.Getenv("HOLDFAST_URL"), os.Getenv("HOLDFAST_KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("the Go client has gone its round")
}

func round(ctx context.Context, url, key string) error {
	client, err := api.NewClientWithResponses(url, api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-API-KEY", key)
		return nil
	}))
	if err != nil {
		return err
	}
	location, err := client.AdminLocationsCreateWithResponse(ctx, nil, api.CreateLocation{Name: "Lisbon (Go)", Timezone: "Europe/Lisbon"})
	if err != nil || location.JSON200 == nil {
		return wrong("create a location", err, location)
	}
	sku, err := client.AdminSkusCreateWithResponse(ctx, nil, api.CreateSKU{Name: "Cargo bike"})
	if err != nil || sku.JSON200 == nil {
		return wrong("create a SKU", err, sku)
	}
	place, item := location.JSON200.Id, sku.JSON200.Id
	var input api.CreateArticle
	if err := json.Unmarshal(fmt.Appendf(nil, `{"name":"Bike 1","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":2,"from":"2025-01-01T00:00:00Z"}]}`, item, place), &input); err != nil {
		return err
	}
	once := "round-go"
	article, err := client.AdminArticlesCreateWithResponse(ctx, &api.AdminArticlesCreateParams{IdempotencyKey: &once}, input)
	if err != nil || article.JSON200 == nil || article.JSON200.Quantity.Total != 2 || article.HTTPResponse.Header.Get("ETag") == "" {
		return wrong("create an article", err, article)
	}

	from := time.Date(2031, 6, 2, 9, 0, 0, 0, time.UTC)
	to := from.Add(48 * time.Hour)
	free := func(want int) error {
		a, err := client.AdminAvailabilityGetWithResponse(ctx, &api.AdminAvailabilityGetParams{SkuId: &item, ServiceLocationId: &place, From: from, To: &to})
		if err != nil || a.JSON200 == nil || a.JSON200.Available != want {
			return wrong(fmt.Sprint("units free have to be ", want), err, a)
		}
		return nil
	}
	if err := free(2); err != nil {
		return err
	}
	hold := func(quantity int) (*api.AdminHoldsCreateResponse, error) {
		return client.AdminHoldsCreateWithResponse(ctx, nil, api.PlaceHold{Lines: []api.HoldLineInput{
			{SkuId: &item, ServiceLocationId: place, From: from, To: &to, Quantity: &quantity},
		}})
	}
	held, err := hold(2)
	if err != nil || held.JSON200 == nil || held.JSON200.Status != "confirmed" || len(held.JSON200.Lines[0].Unavailabilities) != 2 {
		return wrong("hold both units", err, held)
	}
	if err := free(0); err != nil {
		return err
	}
	// The one too many.
	refused, err := hold(1)
	if err != nil || refused.StatusCode() != http.StatusConflict || refused.ApplicationproblemJSONDefault == nil {
		return wrong("the third unit is not there", err, refused)
	}
	// The details are typed by the code.
	problem := refused.ApplicationproblemJSONDefault
	short, err := problem.AsInsufficientAvailability()
	if err != nil || problem.Code != api.ProblemCodeINSUFFICIENTAVAILABILITY || len(short.Details.Lines) != 1 || short.Details.Lines[0].Requested != 1 || short.Details.Lines[0].BlockingTotal != 2 {
		return wrong("the refusal says why", err, refused)
	}
	window := &api.AdminArticlesGetParams{DateRange: &api.DateRange{From: from, To: to}}
	read, err := client.AdminArticlesGetWithResponse(ctx, article.JSON200.Id.String(), window)
	if err != nil || read.JSON200 == nil || len(read.JSON200.Unavailability) != 2 {
		return wrong("read the article over the window", err, read)
	}
	if err := release(ctx, client, held.JSON200.Id); err != nil {
		return err
	}
	return free(2)
}

func release(ctx context.Context, client *api.ClientWithResponses, id types.UUID) error {
	r, err := client.AdminHoldsDeleteWithResponse(ctx, id, nil)
	if err != nil || r.StatusCode() != http.StatusOK {
		return wrong("release", err, r)
	}
	return nil
}

// wrong says what did not go as it should: there is no answer, or another one.
func wrong(what string, err error, answer interface{ GetBody() []byte }) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %s", what, answer.GetBody())
}
