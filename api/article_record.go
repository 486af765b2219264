package api

import (
	"slices"
	"strconv"

	"holdfast/engine"
)

// This file owns how an article is written, with its stock over a window.

var (
	countsSchema = recordSchema("UnitCounts",
		has("total", integerSchema.says("Units at all locations.")),
		has("byLocation", listSchema(recordSchema("LocationCount",
			has("serviceLocationId", idSchema.says("The location.")),
			has("count", integerSchema.says("Units there at the start of the window.")),
			has("fromDate", instantSchema.orNull().says("Since when there are so many; null without any.")))).says("Units by location.")))
	freeSchema = recordSchema("FreeUnits",
		has("total", integerSchema.says("Units free for the whole window at all locations.")),
		has("byLocation", listSchema(recordSchema("LocationFree",
			has("serviceLocationId", idSchema.says("The location.")),
			has("count", integerSchema.says("How many units can be held over the window, without buffers.")),
			has("fromDate", instantSchema.orNull().
				says("The window's start where a unit can be held over it. Else the first instant from which one can be held beyond "+
					"the one that ends what can be held from the window's start; null where there is none.").says("From when on.")),
			has("exact", booleanSchema.says("False: pinned holds made the search stop, and perhaps more units could be held.")))).
			says("Units free by location.")))
	seriesSchema = listSchema(recordSchema("SeriesStep",
		has("range", rangeSchema.says("From when until when the value holds.")),
		has("value", (&Schema{Type: "number"}).says("The value in that time."))))

	articleSchema = recordSchema("Article", slices.Concat([]Member{
		has("id", idSchema.says("The article's id.")),
		has("name", textSchema.says("What the article is called.")),
		has("codes", listSchema(textSchema).says("Codes on its units, such as those of bar codes.")),
		has("status", enumSchema("active", "inactive", "draft").says("Whether it takes bookings: only an active one does.")),
		has("createdAt", createdSchema),
		has("updatedAt", updatedSchema),
		has("archivedAt", instantSchema.orNull().says("When it was archived; null while it is not.")),
		has("taxonomyCategoryId", textSchema.orNull().says("The id of the category in a taxonomy that is kept elsewhere.")),
		has("parentId", textSchema.orNull().says("The id of the article that it is a part of, as it was given.")),
		has("path", textSchema.orNull().says("The path of its category, as it was given.")),
		has("taxonomyCategory", categorySchema.orNull().says("Its category in a taxonomy that is kept elsewhere.")),
		has("aggregateData", aggregateSchema.orNull().says("Figures over all articles of its SKU; null without one.")),
		has("unavailability", listSchema(unavailabilitySchema).says("The units taken over the window, by start.")),
		has("scheduledEvents", listSchema(eventSchema).says("The events over the window, by start.")),
		has("articleLocations", listSchema(recordSchema("ArticleLocation",
			has("serviceLocationId", idSchema.says("The location.")),
			has("range", rangeSchema.says("From when until when the units are there.")),
			has("count", integerSchema.says("How many units.")))).says("How many units it has where, over the window.")),
		has("media", listSchema(mediaSchema).says("Its pictures, in their order.")),
		has("documents", listSchema(docSchema).says("Its documents, in their order.")),
		has("attributes", listSchema(attributeValueSchema).says("Values of the account's attributes, those of its SKU included.")),
		has("fulfillmentFields", listSchema(fieldSchema).says("Fields for those who hand it out.")),
		has("tags", listSchema(tagSchema).says("The tags linked to it.")),
	}, externalMembers, []Member{
		has("sku", articleSKUSchema.orNull().says("Its SKU; null where it has none.")),
		has("itemCosts", integerSchema.orNull().says("What it has cost beside its price, in minor units.")),
		has("itemIncome", integerSchema.says("What orders have brought in with it, in minor units.")),
		has("purchasePrice", integerSchema.orNull().says("What it was bought for, in minor units: its own, or that of its SKU.")),
		has("profitability", integerSchema.says("Income less costs and purchase price, in minor units.")),
		has("purchasePriceOrigin", enumSchema("article", "sku").says("Whether the purchase price is the article's or its SKU's.")),
		has("descriptionOrigin", enumSchema("article", "sku").says("Whether the description is the article's or its SKU's.")),
		has("condition", textSchema.orNull().says("What shape it is in.")),
		has("description", textSchema.orNull().says("What is told of it to customers: its own text, or that of its SKU.")),
	}, bufferMembers, []Member{
		has("bufferTimeOriginBefore", enumSchema("article", "sku").says("Whether the buffer before a booking is the article's or its SKU's.")),
		has("bufferTimeOrigin", enumSchema("article", "sku").says("Whether the buffer after a booking is the article's or its SKU's.")),
		has("conflicts", recordSchema("ArticleConflicts",
			has("byLocation", (&Schema{Type: "object", Extra: listSchema(idSchema)}).says("The ids of those unavailabilities, by the id of the location.")),
			may("total", integerSchema.says("How many conflicts there are, where not all of them are named."))).
			says("Holds over the window that have no unit.")),
		has("snapshotDate", recordSchema("SnapshotDate",
			has("from", instantSchema.says("First instant of the window.")),
			has("to", instantSchema.says("First instant behind the window."))).says("The window that all this is about.")),
		has("quantity", countsSchema.says("How many units it has at the start of the window.")),
		has("availability", freeSchema.says("How many units are free for the whole window, without buffers.")),
		has("temporalStock", recordSchema("TemporalStock",
			has("stockBalance", seriesSchema.says("Units there, less those sold for good.")),
			has("stockAvailableToSell", seriesSchema.says("Units that could be sold at that instant and never come back.")),
			has("stockCommitted", seriesSchema.says("Units taken, with their buffers.")),
			has("stockUtilisation", seriesSchema.says("Units taken as a part of those there, from 0 to 1."))).
			says("The units over the window as steps in time.")),
	})...)
)

// appendArticle appends an article to the answer, its stock over a window. Where it is gone from the view, by a command
// behind the one that is answered, it has no units.
func (q *request) appendArticle(r *engine.Article, w engine.Span) error {
	return q.appendArticleUpTo(r, w, engine.MaxListed, engine.MaxListed, maxRecord)
}

// appendArticleUpTo is appendArticle with so many entries of the lists of its stock and steps of its series, and bytes, at most.
func (q *request) appendArticleUpTo(r *engine.Article, w engine.Span, entries, steps, most int) error {
	q.stock.Most = entries
	if err := q.view.ArticleStock(&q.stock, r.ID, engine.ID{}, w, q.now); err != nil {
		q.stock.Reset(w)
	}
	start := len(q.out)
	q.appendArticleWith(r, &q.stock, entries, steps)
	q.out = bounded(q.out, start, most)
	return nil
}

// appendArticleWith appends an article with a stock: the first entries of its lists and steps of its series.
func (q *request) appendArticleWith(r *engine.Article, stock *engine.ArticleStock, entries, steps int) {
	w := stock.Window
	var sku *engine.SKU
	if r.SKU != nil {
		sku = q.view.SKU(*r.SKU)
	}
	b := appendID(append(q.out, `{"id":`...), r.ID)
	b = appendText(append(b, `,"name":`...), r.Name)
	b = appendList(append(b, `,"codes":`...), r.Codes, appendText)
	b = appendText(append(b, `,"status":`...), string(r.Status))
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(r.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), r.UpdatedAt)
	b = appendInstantOrNull(append(b, `,"archivedAt":`...), r.ArchivedAt)
	b = appendPlace(b, r, sku)
	b = q.appendFirstUnits(b, "unavailability", stock.Units, stock.Taken)
	b = appendFirst(b, "scheduledEvents", stock.Events, len(stock.Events), entries, func(b []byte, s *engine.ScheduledEvent) []byte { return appendEvent(q, b, s) })
	b = appendFirst(b, "articleLocations", stock.Locations, len(stock.Locations), entries, func(b []byte, l engine.ArticleLocation) []byte {
		b = appendID(append(b, `{"serviceLocationId":`...), l.Location)
		b = appendRange(append(b, `,"range":`...), l.Range)
		return append(appendInt(append(b, `,"count":`...), l.Count), '}')
	})
	b = append(q.appendFiles(b, r), `,"attributes":`...)
	var defaults *engine.Labels
	if sku != nil {
		defaults = &sku.Labels
	}
	b = q.appendAttributes(b, &r.Labels, "article", defaults, "sku")
	b = append(appendFulfillment(b, r), `,"tags":`...)
	b = append(appendExternal(q.appendTags(b, &r.Labels), r.External), `,"sku":`...)
	if sku == nil {
		b = append(b, "null"...)
	} else {
		b = appendArticleSKU(q, b, sku)
	}
	b = q.appendArticleOrigins(b, r, sku)
	b = appendConflictsByLocation(append(b, `,"conflicts":`...), stock.Conflicts, stock.Conflicted)
	b = appendInstant(append(b, `,"snapshotDate":{"from":`...), w.Start)
	b = appendInstant(append(b, `,"to":`...), w.End)
	b = appendCounts(append(b, `},"quantity":`...), stock.Quantity, steps, false)
	b = appendCounts(append(b, `,"availability":`...), stock.Availability, steps, true)
	b = appendSeries(append(b, `,"temporalStock":{`...), "stockBalance", stock.Balance, steps)
	b = appendSeries(b, "stockAvailableToSell", stock.ToSell, steps)
	b = appendSeries(b, "stockCommitted", stock.Committed, steps)
	b = appendSeries(b, "stockUtilisation", stock.Utilisation, steps)
	q.out = append(b, "}}"...)
}

// appendArticleOrigins appends what an article takes from its SKU where it has none of its own, and which of the two it is.
func (q *request) appendArticleOrigins(b []byte, r *engine.Article, sku *engine.SKU) []byte {
	price, description, before, after := r.PurchasePrice, r.Description, r.Before, r.After
	origin := func(own, inherited bool) string {
		if !own && inherited {
			return `"sku"`
		}
		return `"article"`
	}
	priceOrigin, descriptionOrigin, beforeOrigin, afterOrigin := `"article"`, `"article"`, `"article"`, `"article"`
	if sku != nil {
		priceOrigin = origin(price != nil, sku.PurchasePrice != nil)
		descriptionOrigin = origin(description != nil, sku.Description != nil)
		beforeOrigin = origin(before != nil, sku.Before != nil)
		afterOrigin = origin(after != nil, sku.After != nil)
		price, description = orElse(price, sku.PurchasePrice), orElse(description, sku.Description)
		before, after = orElse(before, sku.Before), orElse(after, sku.After)
	}
	income, profit := q.view.Earnings(r)
	b = appendIntOrNull(append(b, `,"itemCosts":`...), r.ItemCosts)
	b = appendInt(append(b, `,"itemIncome":`...), income)
	b = appendIntOrNull(append(b, `,"purchasePrice":`...), price)
	b = appendInt(append(b, `,"profitability":`...), profit)
	b = append(append(b, `,"purchasePriceOrigin":`...), priceOrigin...)
	b = append(append(b, `,"descriptionOrigin":`...), descriptionOrigin...)
	b = appendTextOrNull(append(b, `,"condition":`...), r.Condition)
	b = appendTextOrNull(append(b, `,"description":`...), description)
	b = appendBuffers(b, before, after)
	b = append(append(b, `,"bufferTimeOriginBefore":`...), beforeOrigin...)
	return append(append(b, `,"bufferTimeOrigin":`...), afterOrigin...)
}

func orElse[V any](own, other *V) *V {
	if own != nil {
		return own
	}
	return other
}

// appendConflictsByLocation appends the first conflicts, of which there are total.
func appendConflictsByLocation(b []byte, units []engine.Unavailability, total int) []byte {
	var places []engine.ID
	for _, u := range units {
		if !slices.Contains(places, u.Location) {
			places = append(places, u.Location)
		}
	}
	b = append(b, `{"byLocation":{`...)
	for i, place := range places {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendID(b, place), ':', '[')
		first := true
		for _, u := range units {
			if u.Location == place {
				if !first {
					b = append(b, ',')
				}
				first = false
				b = appendID(b, u.ID)
			}
		}
		b = append(b, ']')
	}
	if b = append(b, '}'); total > len(units) {
		b = appendInt(append(b, `,"total":`...), total)
	}
	return append(b, '}')
}

// appendCounts appends units by location; free: those that can be held, and whether the number is exact.
func appendCounts(b []byte, counts []engine.LocationCount, most int, free bool) []byte {
	total := 0
	for _, c := range counts {
		total += c.Count
	}
	b = appendInt(append(b, `{"total":`...), total)
	b = appendFirst(b, "byLocation", counts, len(counts), most, func(b []byte, c engine.LocationCount) []byte {
		b = appendID(append(b, `{"serviceLocationId":`...), c.Location)
		b = appendInt(append(b, `,"count":`...), c.Count)
		if b = appendInstantOrNull(append(b, `,"fromDate":`...), c.From); free {
			b = appendBool(append(b, `,"exact":`...), c.Exact)
		}
		return append(b, '}')
	})
	return append(b, '}')
}

func appendSeries(b []byte, name string, steps []engine.Step, most int) []byte {
	return appendFirst(b, name, steps, len(steps), most, func(b []byte, s engine.Step) []byte {
		b = appendRange(append(b, `{"range":`...), s.Range)
		return append(strconv.AppendFloat(append(b, `,"value":`...), s.Value, 'f', -1, 64), '}')
	})
}
