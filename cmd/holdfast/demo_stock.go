package main

// This file owns what the demo merchant has: its locations, its labels, and 195 articles of 16 SKUs.

import (
	"strconv"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

var demoLocations = []struct {
	name, zone string
	address    base.Address
}{
	{"Helsinki Harbour", "Europe/Helsinki",
		base.Address{Address: "Eteläranta 8", ZipCode: "00130", City: "Helsinki", Country: "FI"}},
	{"Lisbon Baixa", "Europe/Lisbon", base.Address{Address: "Rua da Prata 114", ZipCode: "1100-420", City: "Lisboa",
		Country: "PT", Details: "Through the yard"}},
	{"Portland Pearl", "America/Los_Angeles",
		base.Address{Address: "1019 NW Couch St", ZipCode: "97209", City: "Portland", Country: "US", State: "OR"}},
}

// place makes the account the merchant's, and its locations.
func (d *demo) place() {
	made[base.Account](d,
		base.PatchAccount{Fields: base.Changed(base.AccountFields{Name: "Pedal & Lens", Timezone: "Europe/Helsinki"})})
	for _, l := range demoLocations {
		d.locations = append(d.locations,
			made[stock.Location](d,
				stock.CreateLocation{
					LocationFields: stock.LocationFields{Name: l.name, Timezone: l.zone, Address: &l.address}}).ID)
	}
}

var demoTags = []struct {
	scope  label.TagScope
	values []string
}{
	{label.TagInventory, []string{"Electric", "Family", "Fragile", "New this season"}},
	{label.TagCatalog, []string{"Bestseller", "Bundle", "Rainy day"}},
	{label.TagCustomers, []string{"Regular", "Company", "Deposit waived"}},
	{label.TagOrders, []string{"Delivery", "Walk-in"}},
}

var demoAttributes = []label.CreateAttribute{
	{AttributeFields: label.AttributeFields{Name: "Frame size", Key: "frame_size", Format: label.FormatSelect},
		Options: []string{"S", "M", "L", "XL"}, Group: ptr("Bicycle")},
	{AttributeFields: label.AttributeFields{Name: "Wheel size (inch)", Key: "wheel_size", Format: label.FormatNumber},
		Group: ptr("Bicycle")},
	{AttributeFields: label.AttributeFields{Name: "Motor power (W)", Key: "motor_power", Format: label.FormatNumber},
		Group: ptr("Bicycle")},
	{AttributeFields: label.AttributeFields{Name: "Lens mount", Key: "lens_mount", Format: label.FormatSelect},
		Options: []string{"E", "L", "RF"}, Group: ptr("Camera")},
	{AttributeFields: label.AttributeFields{Name: "Weather sealed", Key: "weather_sealed", Format: label.FormatBoolean},
		Group: ptr("Camera")},
	{AttributeFields: label.AttributeFields{Name: "In the box", Key: "in_the_box", Format: label.FormatMultiselect},
		Options: []string{"Lock", "Lights", "Charger", "Bag", "Spare battery"}},
	{AttributeFields: label.AttributeFields{Name: "Serial number", Key: "serial_number", Format: label.FormatText},
		Group: ptr("Upkeep")},
	{AttributeFields: label.AttributeFields{Name: "Last service", Key: "last_service", Format: label.FormatDate},
		Group: ptr("Upkeep")},
	{AttributeFields: label.AttributeFields{Name: "Counted at", Key: "counted_at", Format: label.FormatDatetime},
		Group: ptr("Upkeep")},
	{AttributeFields: label.AttributeFields{Name: "Licence checked", Key: "licence_checked",
		Format: label.FormatBoolean}, Group: ptr("Customer")},
	{AttributeFields: label.AttributeFields{Name: "Club number", Key: "club_number", Format: label.FormatText},
		Group: ptr("Customer")},
	{AttributeFields: label.AttributeFields{Name: "Good for", Key: "good_for", Format: label.FormatMultiselect},
		Options: []string{"City", "Gravel", "Forest", "Studio", "Events"}, Group: ptr("Listing")},
}

// label makes the tags and attributes.
func (d *demo) label() {
	d.tags = map[string]base.ID{}
	for _, t := range demoTags {
		for _, value := range t.values {
			d.tags[value] = made[label.Tag](d,
				label.CreateTag{TagFields: label.TagFields{Value: value, Scope: t.scope}}).ID
		}
	}
	for _, a := range demoAttributes {
		made[label.Attribute](d, a)
	}
}

// labels are tags and attribute values to give to a record.
func (d *demo) labels(tags []string, values ...label.AttributeInput) (p label.LabelsPatch) {
	if len(tags) > 0 {
		p.Tags.Set = true
		for _, value := range tags {
			p.Tags.Value = append(p.Tags.Value, d.tags[value])
		}
	}
	if len(values) > 0 {
		p.Attributes = base.Some(values)
	}
	return p
}

func demoText(key, s string) label.AttributeInput {
	return label.AttributeInput{Key: key, Value: label.Value{Kind: label.TextValue, Text: s}}
}

func demoNumber(key string, n float64) label.AttributeInput {
	return label.AttributeInput{Key: key, Value: label.Value{Kind: label.NumberValue, Number: n}}
}

func demoYes(key string) label.AttributeInput {
	return label.AttributeInput{Key: key, Value: label.Value{Kind: label.BooleanValue, Bool: true}}
}

func demoList(key string, s ...string) label.AttributeInput {
	return label.AttributeInput{Key: key, Value: label.Value{Kind: label.ListValue, List: s}}
}

var demoBikes, demoCameras, demoGear = demoCategory("bicycles", "Bicycles"), demoCategory("cameras", "Cameras"),
	demoCategory("gear", "Gear")

func demoCategory(id, name string) *stock.TaxonomyCategory {
	return &stock.TaxonomyCategory{ID: id, Name: &name, FullName: ptr("Rental > " + name), Level: ptr(int64(1)),
		ParentID: ptr("rental"), IsLeaf: ptr(true)}
}

// demoSKU is a kind of thing to rent: how many articles of it each location has, the buffer after each rental, and for
// how long people rent it, in hours.
type demoSKU struct {
	name, code        string
	articles          int
	lot               int // units of each article
	after             timeline.Buffer
	shortest, longest int
	weight            int   // of all rentals
	day               int64 // what a day costs, in cents
	sale, monthly     int64 // what it is sold for, and what a month's subscription costs; 0: neither
	bought            int64
	category          *stock.TaxonomyCategory
	about             string
	tags              []string
	values            []label.AttributeInput
}

var demoSKUs = []demoSKU{
	{
		name: "City bike", code: "BIKE-CITY", articles: 12, lot: 1,
		after: timeline.Buffer{Amount: 30, Unit: timeline.Minutes}, shortest: 2, longest: 72, weight: 10,
		day: 1900, monthly: 3900, bought: 54900, category: demoBikes,
		about:  "Seven gears, a basket, and a stand that stands.",
		values: []label.AttributeInput{demoNumber("wheel_size", 28), demoList("in_the_box", "Lock", "Lights")},
	},
	{
		name: "E-bike", code: "BIKE-E", articles: 8, lot: 1, after: timeline.Buffer{Amount: 2, Unit: timeline.Hours},
		shortest: 2, longest: 72, weight: 8,
		day: 3900, monthly: 8900, bought: 229900, category: demoBikes, about: "Goes 90 km on a charge.",
		tags: []string{"Electric"}, values: []label.AttributeInput{demoNumber("wheel_size", 28),
			demoNumber("motor_power", 250), demoList("in_the_box", "Lock", "Charger")},
	},
	{
		name: "Cargo bike", code: "BIKE-CARGO", articles: 4, lot: 1,
		after: timeline.Buffer{Amount: 1, Unit: timeline.Hours}, shortest: 3, longest: 48, weight: 3,
		day: 4900, bought: 489900, category: demoBikes, about: "Carries two children and the shopping.",
		tags:   []string{"Electric", "Family"},
		values: []label.AttributeInput{demoNumber("wheel_size", 20), demoNumber("motor_power", 500)},
	},
	{
		name: "Road bike", code: "BIKE-ROAD", articles: 5, lot: 1,
		after: timeline.Buffer{Amount: 1, Unit: timeline.Hours}, shortest: 6, longest: 120, weight: 4,
		day: 3500, bought: 179900, category: demoBikes, about: "Carbon fork, pedals of your choice.",
		values: []label.AttributeInput{demoNumber("wheel_size", 28)},
	},
	{
		name: "Mountain bike", code: "BIKE-MTB", articles: 6, lot: 1,
		after: timeline.Buffer{Amount: 3, Unit: timeline.Hours}, shortest: 6, longest: 120, weight: 4,
		day: 3900, bought: 199900, category: demoBikes, about: "Full suspension; washed after each ride.",
		values: []label.AttributeInput{demoNumber("wheel_size", 29)},
	},
	{
		name: "Children's bike", code: "BIKE-KIDS", articles: 4, lot: 1,
		after: timeline.Buffer{Amount: 30, Unit: timeline.Minutes}, shortest: 3, longest: 72, weight: 3,
		day: 1200, bought: 29900, category: demoBikes, about: "From six years on.",
		tags: []string{"Family"}, values: []label.AttributeInput{demoNumber("wheel_size", 20)},
	},
	{
		name: "Helmet", code: "HELMET", articles: 1, lot: 25,
		after: timeline.Buffer{Amount: 15, Unit: timeline.Minutes}, shortest: 2, longest: 72, weight: 8,
		day: 400, sale: 5900, bought: 3200, category: demoGear, about: "Fits heads of 52 to 61 cm.",
	},
	{
		name: "Child seat", code: "SEAT", articles: 1, lot: 8, shortest: 2, longest: 72, weight: 2,
		day: 600, bought: 8900, category: demoGear, about: "Up to 22 kg, on any city bike.",
		tags: []string{"Family"},
	},
	{
		name: "Mirrorless camera", code: "CAM-ML", articles: 6, lot: 1,
		after: timeline.Buffer{Amount: 4, Unit: timeline.Hours}, shortest: 24, longest: 168, weight: 5,
		day: 6900, bought: 249900, category: demoCameras, about: "33 megapixels, 4K at 60 frames.",
		tags: []string{"Fragile"}, values: []label.AttributeInput{demoText("lens_mount", "E"),
			demoYes("weather_sealed"), demoList("in_the_box", "Charger", "Bag", "Spare battery")},
	},
	{
		name: "Cinema camera", code: "CAM-CINE", articles: 2, lot: 1,
		after: timeline.Buffer{Amount: 1, Unit: timeline.Days}, shortest: 48, longest: 240, weight: 1,
		day: 24900, bought: 1190000, category: demoCameras, about: "6K, full frame.",
		tags: []string{"Fragile", "New this season"}, values: []label.AttributeInput{demoText("lens_mount", "L")},
	},
	{
		name: "Lens 24-70 mm", code: "LENS-2470", articles: 4, lot: 1,
		after: timeline.Buffer{Amount: 2, Unit: timeline.Hours}, shortest: 24, longest: 168, weight: 3,
		day: 2900, bought: 219900, category: demoCameras, about: "f/2.8.",
		tags:   []string{"Fragile"},
		values: []label.AttributeInput{demoText("lens_mount", "E"), demoYes("weather_sealed")},
	},
	{
		name: "Lens 70-200 mm", code: "LENS-70200", articles: 3, lot: 1,
		after: timeline.Buffer{Amount: 2, Unit: timeline.Hours}, shortest: 24, longest: 168, weight: 2,
		day: 3500, bought: 279900, category: demoCameras, about: "f/2.8, stabilised.",
		tags:   []string{"Fragile"},
		values: []label.AttributeInput{demoText("lens_mount", "E"), demoYes("weather_sealed")},
	},
	{
		name: "Gimbal", code: "GIMBAL", articles: 3, lot: 1, after: timeline.Buffer{Amount: 2, Unit: timeline.Hours},
		shortest: 24, longest: 120, weight: 2,
		day: 3900, bought: 79900, category: demoCameras, about: "Carries 3 kg.",
		values: []label.AttributeInput{demoList("in_the_box", "Charger", "Bag")},
	},
	{
		name: "Drone", code: "DRONE", articles: 3, lot: 1, after: timeline.Buffer{Amount: 1, Unit: timeline.Days},
		shortest: 24, longest: 96, weight: 2,
		day: 9900, bought: 219900, category: demoCameras, about: "For holders of a licence.",
		tags:   []string{"Fragile", "New this season"},
		values: []label.AttributeInput{demoList("in_the_box", "Charger", "Spare battery")},
	},
	{
		name: "Light kit", code: "LIGHT", articles: 2, lot: 1, after: timeline.Buffer{Amount: 2, Unit: timeline.Hours},
		shortest: 24, longest: 120, weight: 1,
		day: 4900, bought: 119900, category: demoCameras, about: "Three panels with stands.",
	},
	{
		name: "Tripod", code: "TRIPOD", articles: 1, lot: 10, shortest: 24, longest: 168, weight: 3,
		day: 1200, sale: 14900, bought: 19900, category: demoGear, about: "Carbon, up to 170 cm.",
	},
}

type demoArticle struct {
	id, location base.ID
	takes        bool // new holds
}

// Articles that are out of use, by code.
var (
	demoStatus = map[string]stock.ArticleStatus{"BIKE-KIDS-34": stock.ArticleInactive,
		"GIMBAL-23": stock.ArticleDraft}
	demoArchived = "BIKE-ROAD-25"
)

// stock makes the SKUs and articles.
func (d *demo) stock() {
	d.skus = map[string]base.ID{}
	for i := range demoSKUs {
		s := &demoSKUs[i]
		op := stock.CreateSKU{SKUFields: stock.SKUFields{Name: s.name, Code: &s.code, Description: &s.about,
			PurchasePrice: &s.bought}, Labels: d.labels(s.tags, s.values...)}
		if !s.after.Zero() {
			op.After = &s.after
		}
		d.skus[s.code] = made[stock.SKU](d, op).ID
		d.articlesOf(s)
	}
}

// articlesOf makes the articles of a SKU, at each location some.
func (d *demo) articlesOf(s *demoSKU) {
	sku, begin := d.skus[s.code], d.today-90*demoDay
	for i, location := range d.locations {
		var ops []base.Op
		for n := range s.articles {
			op := d.article(s, i, n)
			op.SKU, op.Quantities = &sku, []stock.InitialQuantity{{Location: location, Count: s.lot, From: &begin}}
			ops = append(ops, op)
		}
		for _, r := range allMade[stock.Article](d, ops...) {
			if r.Codes[0] == demoArchived {
				r = made[stock.Article](d, stock.ArchiveArticle{ID: r.ID, Archived: true})
			}
			d.articles = append(d.articles, demoArticle{r.ID, location, r.Takes()})
		}
	}
}

// article is the n-th of a SKU at a location, with what has come about it in time.
func (d *demo) article(s *demoSKU, location, n int) stock.CreateArticle {
	code := s.code + "-" + strconv.Itoa(location+1) + strconv.Itoa(n+1)
	o := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: s.name + " " + strconv.Itoa(n+1),
		Codes: []string{code}, Status: demoStatus[code],
		Condition: ptr([]string{"Like new", "Good", "Good", "Worn"}[(n+location)%4])}, Details: stock.DetailsPatch{
		Place: base.Changed(stock.ArticlePlace{CategoryID: &s.category.ID,
			Path: new("rental/" + s.category.ID + "/" + strings.ToLower(s.code))}),
		Category: base.Some(*s.category),
	}}
	values := []label.AttributeInput{
		{Key: "counted_at", Value: label.Value{Kind: label.TextValue, Text: d.instant(-30, 18)}}}
	if s.lot == 1 {
		values = append(values,
			demoText("serial_number", strings.ReplaceAll(code, "-", "")+strconv.Itoa(100_000+d.rnd.IntN(900_000))))
		values = append(values, demoText("last_service", d.instant(-1-d.rnd.IntN(80), 0)[:len("2025-06-01")]))
		o.Details.ItemCosts = base.Some(int64(d.rnd.IntN(8)) * s.bought / 100)
	}
	if s.category == demoBikes {
		values = append(values, demoText("frame_size", []string{"S", "M", "L", "XL"}[n%4]))
	}
	if n%5 == 4 {
		o.PurchasePrice = ptr(s.bought * 9 / 10) // bought second-hand
	}
	if n == 0 {
		o.Details.Media = base.Some([]stock.FilePatch{{Info: demoFile(s.code+".jpg", "image/jpeg", 240_000)}})
	}
	if s.code == "DRONE" || s.code == "CAM-CINE" {
		o.Details.Documents =
			base.Some([]stock.FilePatch{{Info: demoFile("insurance-"+code+".pdf", "application/pdf", 96_000),
				Comment: base.Some("Renewed each spring")}})
		o.Details.Fulfillment = base.Some([]stock.FieldValue{{
			Name: ptr("Batteries handed over"), Key: "batteries", Value: label.Value{Kind: label.NumberValue,
				Number: 2}, Format: ptr(label.FormatNumber), Origin: ptr(stock.FieldOrigin("article")),
		}})
	}
	o.Labels = d.labels(s.tags, values...)
	return o
}

// demoFile is the record of a file that lies elsewhere.
func demoFile(name, mime string, size int64) *stock.FileInfo {
	return &stock.FileInfo{URL: "https://example.com/demo/" + name, MimeType: &mime, OriginalName: &name,
		FolderPath: ptr("demo"), Size: &size}
}

// instant is an hour of a day from today, in UTC.
func (d *demo) instant(days, hour int) string {
	return string(timeline.AppendInstant(nil, d.today+int64(days)*demoDay+int64(hour)*timeline.Hour))
}
