package main

// This file owns what the demo merchant offers, and the customers: prices, and the catalog with its kits.

import (
	"fmt"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/timeline"
)

// demoKit is several things that are booked as one.
type demoKit struct {
	name, code        string
	parts             []demoPart
	shortest, longest int // hours
	day               int64
	about             string
}

type demoPart struct {
	sku      string
	quantity int
}

var demoKits = []demoKit{
	{"Family day out", "KIT-FAMILY", []demoPart{{"BIKE-CITY", 2}, {"BIKE-KIDS", 1}, {"SEAT", 1}, {"HELMET", 4}}, 3, 48,
		4900, "Two city bikes, a children's bike, a child seat and helmets for all."},
	{"Starter film kit", "KIT-FILM", []demoPart{{"CAM-ML", 1}, {"LENS-2470", 1}, {"GIMBAL", 1}, {"TRIPOD", 1}}, 24, 120,
		11900, "A camera with lens, gimbal and tripod."},
	{"Interview set", "KIT-TALK", []demoPart{{"CAM-ML", 2}, {"LENS-2470", 2}, {"TRIPOD", 2}, {"LIGHT", 1}}, 24, 96,
		18900, "Two cameras with lenses and tripods, and light."},
}

// demoItem is what the catalog says of an item in addition to what its SKU says.
type demoItem struct {
	variants []commerce.Variant
	tags     []string
	goodFor  []string
}

var demoItems = map[string]demoItem{
	"BIKE-CITY": {[]commerce.Variant{demoVariant("Frame", "S", "M", "L", "XL"),
		demoVariant("Basket", "With", "Without")}, []string{"Bestseller"}, []string{"City"}},
	"BIKE-E": {[]commerce.Variant{demoVariant("Frame", "S", "M", "L", "XL")}, []string{"Bestseller"},
		[]string{"City", "Gravel"}},
	"BIKE-ROAD": {[]commerce.Variant{demoVariant("Frame", "S", "M", "L", "XL"), demoVariant("Pedals", "Flat", "Clip")},
		nil, []string{"Gravel"}},
	"BIKE-MTB": {[]commerce.Variant{demoVariant("Frame", "S", "M", "L", "XL")}, nil, []string{"Gravel", "Forest"}},
	"HELMET": {[]commerce.Variant{demoVariant("Size", "S", "M", "L"),
		demoVariant("Colour", "White", "Black", "Red")}, nil, nil},
	"CAM-ML":   {nil, []string{"Bestseller"}, []string{"Studio", "Events"}},
	"LIGHT":    {nil, []string{"Rainy day"}, []string{"Studio"}},
	"TRIPOD":   {nil, []string{"Rainy day"}, []string{"Studio", "Events"}},
	"KIT-TALK": {nil, nil, []string{"Studio", "Events"}},
}

func demoVariant(label string, values ...string) commerce.Variant {
	v := commerce.Variant{Label: label}
	for _, s := range values {
		v.Values = append(v.Values, commerce.VariantValue{Label: s})
	}
	return v
}

// offer makes a pricing table and a catalog item of every SKU and every kit, and some items that are not on offer.
func (d *demo) offer() {
	for i := range demoSKUs {
		s := &demoSKUs[i]
		o := commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: s.name, InternalName: &s.code,
			Category: &s.category.ID, Description: &s.about, Components: d.components(demoPart{s.code, 1})}}
		o.Purchases = []base.PurchaseType{base.PurchaseBooking}
		if s.sale > 0 {
			o.Purchases = append(o.Purchases, base.PurchaseSale)
		}
		if s.monthly > 0 {
			o.Purchases = append(o.Purchases, base.PurchaseSubscription)
		}
		d.list(o, d.prices(s.name, s.shortest, s.day, s.sale, s.monthly), nil)
	}
	for i := range demoKits {
		k := &demoKits[i]
		o := commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: k.name, InternalName: &k.code,
			Category: ptr("kits"), Description: &k.about, Components: d.components(k.parts...)},
			CatalogOffer: commerce.CatalogOffer{Purchases: []base.PurchaseType{base.PurchaseBooking}}}
		d.kits = append(d.kits, d.list(o, d.prices(k.name, k.shortest, k.day, 0, 0), []string{"Bundle"}))
	}
	made[commerce.CatalogItem](d,
		commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Tandem", Status: commerce.CatalogDraft,
			Category: &demoBikes.ID, Description: ptr("Comes in spring.")}})
	scanner := made[commerce.CatalogItem](d,
		commerce.CreateCatalogItem{
			CatalogFields: commerce.CatalogFields{Name: "Film scanner", Category: &demoCameras.ID}})
	made[commerce.CatalogItem](d, commerce.ArchiveCatalogItem{ID: scanner.ID, Archived: true})
}

// list puts an item into the catalog at the prices of a table.
func (d *demo) list(o commerce.CreateCatalogItem, prices base.ID, tags []string) base.ID {
	more := demoItems[*o.InternalName]
	var values []label.AttributeInput
	if more.goodFor != nil {
		values = append(values, demoList("good_for", more.goodFor...))
	}
	o.PricingTable, o.Variants, o.Labels = &prices, more.variants, d.labels(append(tags, more.tags...), values...)
	return made[commerce.CatalogItem](d, o).ID
}

func (d *demo) components(parts ...demoPart) (list []commerce.Component) {
	for _, p := range parts {
		list = append(list, commerce.Component{Item: base.Item{SKU: d.skus[p.sku]}, Quantity: p.quantity})
	}
	return list
}

// prices makes a pricing table: by the hour where something goes out for hours, by the day, by the week; for sale, by
// the month.
func (d *demo) prices(name string, shortest int, day, sale, monthly int64) base.ID {
	table := made[commerce.PricingTable](d,
		commerce.CreatePricingTable{
			PricingTableFields: commerce.PricingTableFields{Name: name, External: name == "Drone"}})
	booking := func(label string, price, amount int64, unit timeline.Unit) base.Op {
		return commerce.CreatePricingRow{Table: table.ID,
			PricingRowFields: commerce.PricingRowFields{Label: label, Purchase: base.PurchaseBooking,
				Price: price / 50 * 50}, Duration: &commerce.Period{Amount: amount, Unit: unit}}
	}
	var rows []base.Op
	if shortest < 24 {
		rows = append(rows, booking("3 hours", day*2/5, 3, timeline.Hours))
	}
	rows = append(rows, booking("Day", day, 1, timeline.Days), booking("Weekend", day*9/5, 2, timeline.Days),
		booking("Week", day*4, 1, timeline.Weeks))
	if sale > 0 {
		rows = append(rows, commerce.CreatePricingRow{Table: table.ID,
			PricingRowFields: commerce.PricingRowFields{Label: "To keep", Purchase: base.PurchaseSale, Price: sale}})
	}
	if monthly > 0 {
		rows = append(rows,
			commerce.CreatePricingRow{Table: table.ID, PricingRowFields: commerce.PricingRowFields{Label: "Monthly",
				Purchase: base.PurchaseSubscription, Price: monthly}, Subscription: &commerce.SubscriptionTerms{
				Cycle: commerce.Period{Amount: 1, Unit: timeline.Months}, CommitmentCycles: ptr(int64(3)),
				CancellationLead: &commerce.Period{Amount: 14, Unit: timeline.Days},
				RenewalType:      commerce.DefaultRenewalType, InitialCharge: commerce.DefaultInitialCharge,
			}})
	}
	allMade[commerce.PricingRow](d, rows...)
	if table.External {
		made[commerce.ExternalPricingRow](d, commerce.CreateExternalPricingRow{Table: table.ID,
			ExternalPricingFields: commerce.ExternalPricingFields{Label: "Fly with a pilot",
				URL: "https://example.com/demo/pilots"}})
	}
	return table.ID
}

// demoCustomers is how many customers the demo has; every eighth is a company.
const demoCustomers = 72

var demoPeople = []struct {
	language, country, phone string
	first, last              []string
}{
	{"fi", "FI", "+358 40 555 0", []string{"Aino", "Eero", "Helmi", "Juhani", "Kaisa", "Leo", "Oona", "Väinö"},
		[]string{"Korhonen", "Laine", "Mäkinen", "Nieminen", "Salo", "Virtanen"}},
	{"pt", "PT", "+351 91 555 0", []string{"Ana", "Beatriz", "Duarte", "Inês", "João", "Luísa", "Rui", "Tiago"},
		[]string{"Almeida", "Costa", "Ferreira", "Marques", "Silva", "Sousa"}},
	{"en", "US", "+1 503 555 0", []string{"Abigail", "Caleb", "Ethan", "Grace", "Hannah", "Mason", "Nora", "Wyatt"},
		[]string{"Baker", "Carter", "Hughes", "Morgan", "Reed", "Turner"}},
}

// meet makes the customers.
func (d *demo) meet() {
	var ops []base.Op
	for i := range demoCustomers {
		at := i % len(demoPeople)
		p, place := demoPeople[at], demoLocations[at].address
		first, last := draw(d, p.first), draw(d, p.last)
		address := commerce.ContactAddress{Address: base.Address{
			Address: fmt.Sprintf("%s %d", strings.TrimRight(place.Address, " 0123456789"), 1+d.rnd.IntN(90)),
			ZipCode: place.ZipCode, City: place.City, Country: place.Country, State: place.State,
		}}
		contact := commerce.Contact{
			FirstName: &first, LastName: &last, Language: &p.language, BillingAddress: new(address),
			Email: new(fmt.Sprintf("customer%d@example.com", i+1)),
			Phone: new(fmt.Sprintf("%s%03d", p.phone, i)), MarketingConsent: d.rnd.IntN(3) == 0,
		}
		var tags []string
		var values []label.AttributeInput
		if i%8 == 7 {
			contact.CustomerType, contact.CompanyName = commerce.Business, new(last+" & "+draw(d, p.last)+" Studio")
			contact.TaxID = new(fmt.Sprintf("%s%08d", p.country, d.rnd.IntN(100_000_000)))
			address.DeliveryNotes = "To the reception"
			contact.ShippingAddress = &address
			tags = append(tags, "Company")
		} else {
			contact.DateOfBirth =
				new(fmt.Sprintf("%d-%02d-%02d", 1950+d.rnd.IntN(55), 1+d.rnd.IntN(12), 1+d.rnd.IntN(28)))
		}
		if i%5 == 0 {
			tags, values = append(tags, "Regular"), append(values, demoText("club_number", fmt.Sprintf("C-%04d", i+1)))
		}
		if i%9 == 0 {
			tags, values = append(tags, "Deposit waived"), append(values, demoYes("licence_checked"))
		}
		ops = append(ops, commerce.CreateCustomer{Contact: base.Changed(contact), Labels: d.labels(tags, values...)})
	}
	for _, m := range allMade[commerce.Customer](d, ops...) {
		d.customers = append(d.customers, m.Name())
	}
}
