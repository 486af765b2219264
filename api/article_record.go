package api

import (
	"slices"
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns how an article is written, with its stock over a window.

var (
	articleOwners = wire.EnumSchema("article", "sku")
	idsByID       = &wire.Schema{Type: "object", Extra: wire.IDListSchema}
	articleSchema = describe("Article",
		func(w *scribe, r *stock.Article) { w.writeArticle(r, new(stock.ArticleStock), 0, 0) })
)

// appendArticle appends an article to the answer, its stock over a window. An article that a later command than the
// answered one removed from the view has no units.
func (q *request) appendArticle(r *stock.Article, w base.Span) error {
	return q.appendArticleUpTo(r, w, base.MaxListed, base.MaxListed, wire.MaxRecord)
}

// appendArticleUpTo is appendArticle with so many entries of the lists of its stock and steps of its series, and bytes,
// at most.
func (q *request) appendArticleUpTo(r *stock.Article, w base.Span, entries, steps, most int) error {
	q.stock.Most, q.stock.Bookable = entries, false
	if err := stock.FillArticleStock(q.view, &q.stock, r.ID, base.ID{}, w, q.now); err != nil {
		q.stock.Reset(w)
	}
	start := len(q.Out)
	q.Braces(func() { q.writeArticle(r, &q.stock, entries, steps) })
	q.Out = wire.Bounded(q.Out, start, most)
	return nil
}

// writeArticle writes an article with a stock: the first entries of its lists and steps of its series.
func (w *scribe) writeArticle(r *stock.Article, units *stock.ArticleStock, entries, steps int) {
	var sku *stock.SKU
	var defaults *label.Labels
	if r.SKU != nil {
		if sku = stock.SKUByID(w.view, *r.SKU); sku != nil {
			defaults = &sku.Labels
		}
	}
	w.ID("id", r.ID, "The article's id.")
	w.Text("name", r.Name, "What the article is called.")
	w.Texts("codes", r.Codes, "Codes on its units, such as those of bar codes.")
	w.As(articleStatus.Schema, "status", string(r.Status), "Whether it takes bookings: only an active one does.")
	w.Created(r.ID)
	w.Updated(r.UpdatedAt)
	w.InstantOrNull("archivedAt", r.ArchivedAt, "When it was archived; null while it is not.")
	w.articlePlace(r, sku)
	w.articleUnits(units, entries)
	w.articleFiles(r)
	w.attributes(&r.Labels, "article", defaults, "Values of the account's attributes, those of its SKU included.")
	w.fulfillmentFields(r)
	w.tags(&r.Labels, "The tags linked to it.")
	w.external(r.External)
	wire.Nullable(&w.Writer, "sku", "ArticleSKU", sku, "Its SKU; null where it has none.", w.articleSKU)
	w.articleOrigins(r, sku)
	w.articleConflicts(units.Conflicts, units.Conflicted)
	w.Object("snapshotDate", "SnapshotDate", "The window that all this is about.", func() {
		w.Instant("from", units.Window.Start, "First instant of the window.")
		w.Instant("to", units.Window.End, "First instant after the window.")
	})
	w.articleCounts(units, steps)
	w.Object("temporalStock", "TemporalStock", "The units over the window as steps in time.", func() {
		w.series("stockBalance", units.Balance, steps, "Units there, less those sold for good.")
		w.series("stockAvailableToSell", units.ToSell, steps,
			"Units that could be sold at that instant and never come back: what each location could sell, added up.")
		w.series("stockCommitted", units.Committed, steps, "Units taken, with their buffers. What is past "+
			"of a hold counts from when on it has had a unit: one that waited for it counted as a conflict until then.")
		w.series("stockUtilisation", units.Utilisation, steps,
			"Units taken as a part of those there: above 1 where more are taken than there are.")
	})
}

// articleUnits writes what there is of an article over the window, and what takes it.
func (w *scribe) articleUnits(lots *stock.ArticleStock, most int) {
	w.units("unavailability", lots.Units, lots.Taken,
		"The units taken over the window, in order of creation: the first of them. In a window of the past a hold "+
			"is among them from when on it has had a unit, also where its range begins earlier. "+
			"GET articles/{id}/unavailabilities has all, by page.")
	w.scheduledEvents(lots.Events, most)
	wire.First(&w.Writer, "articleLocations", "ArticleLocation", wire.UpTo(lots.Locations, most), len(lots.Locations),
		"How many units it has where, over the window.", func(l *stock.ArticleLocation) {
			w.ID("serviceLocationId", l.Location, "The location.")
			w.Range("range", l.Range, "From when until when the units are there.")
			w.Count("count", l.Count, "How many units.")
		})
}

// articleOrigins writes what an article takes from its SKU where it has none of its own, and which of the two it is.
func (w *scribe) articleOrigins(r *stock.Article, sku *stock.SKU) {
	if sku == nil {
		sku = &noSKU
	}
	var income, profit int64
	if w.Writes() {
		income, profit = stock.Earnings(w.view, r)
	}
	w.IntOrNull("itemCosts", r.ItemCosts, "What it has cost beside its price, in minor units.")
	w.Int("itemIncome", income, "What orders in the account's currency have brought in with it, in minor units.")
	w.IntOrNull("purchasePrice", orElse(r.PurchasePrice, sku.PurchasePrice),
		"What it was bought for, in minor units: its own, or that of its SKU.")
	w.Int("profitability", profit, "Income less costs and purchase price, in minor units.")
	w.As(articleOwners, "purchasePriceOrigin", originOf(r.PurchasePrice, sku.PurchasePrice),
		"Whether the purchase price is the article's or its SKU's.")
	w.As(articleOwners, "descriptionOrigin", originOf(r.Description, sku.Description),
		"Whether the description is the article's or its SKU's.")
	w.TextOrNull("condition", r.Condition, "What shape it is in.")
	w.TextOrNull("description", orElse(r.Description, sku.Description),
		"What is told of it to customers: its own text, or that of its SKU.")
	w.buffers(orElse(r.Before, sku.Before), orElse(r.After, sku.After))
	w.As(articleOwners, "bufferTimeOriginBefore", originOf(r.Before, sku.Before),
		"Whether the buffer before a booking is the article's or its SKU's.")
	w.As(articleOwners, "bufferTimeOrigin", originOf(r.After, sku.After),
		"Whether the buffer after a booking is the article's or its SKU's.")
}

var noSKU stock.SKU

// originOf says whose a value is: the article's, or its SKU's where that alone has one.
func originOf[V any](own, inherited *V) string {
	if own == nil && inherited != nil {
		return "sku"
	}
	return "article"
}

func orElse[V any](own, other *V) *V {
	if own != nil {
		return own
	}
	return other
}

// articleConflicts writes the first conflicts, of which there are total.
func (w *scribe) articleConflicts(units []stock.Unavailability, total int) {
	var places []base.ID
	for i := range units {
		if !slices.Contains(places, units[i].Location) {
			places = append(places, units[i].Location)
		}
	}
	w.Object("conflicts", "ArticleConflicts", "Holds over the window that have no unit.", func() {
		w.Key("byLocation", idsByID, "The ids of those unavailabilities, by the id of the location.")
		w.Braces(func() {
			for _, place := range places {
				w.Property(place.String())
				w.Out = append(w.Out, '[')
				for i := range units {
					if units[i].Location == place {
						w.Next()
						w.Out = wire.AppendID(w.Out, units[i].ID)
					}
				}
				w.Out = append(w.Out, ']')
			}
		})
		if w.May(total > len(units)) {
			w.Count("total", total, "How many conflicts there are, where not all of them are named.")
		}
	})
}

// articleCounts writes units by location: those that are there, and those that can be held.
func (w *scribe) articleCounts(units *stock.ArticleStock, most int) {
	w.Object("quantity", "UnitCounts", "How many units it has at the start of the window.", func() {
		w.Count("total", sumOf(units.Quantity), "Units at all locations.")
		list := wire.UpTo(units.Quantity, most)
		wire.First(&w.Writer, "byLocation", "LocationCount", list, len(units.Quantity), "Units by location.",
			func(c *stock.LocationCount) {
				w.ID("serviceLocationId", c.Location, "The location.")
				w.Count("count", c.Count, "Units there at the start of the window.")
				w.InstantOrNull("fromDate", c.From, "Since when there are so many; null without any.")
			})
	})
	w.Object("availability", "FreeUnits", "How many units are free for the whole window, without buffers; in a list "+
		"with withBuffers, how many can be booked.", func() {
		w.Count("total", sumOf(units.Availability), "Those units at all locations.")
		list := wire.UpTo(units.Availability, most)
		wire.First(&w.Writer, "byLocation", "LocationFree", list, len(units.Availability), "Units free by location.",
			func(c *stock.LocationCount) {
				w.ID("serviceLocationId", c.Location, "The location.")
				w.Count("count", c.Count,
					"How many units can be held over the window, without buffers; with withBuffers, booked with them.")
				w.InstantOrNull("fromDate", c.From, "The start of the window where there are some. Where there are "+
					"none, the first instant from which a unit can be held for "+
					"longer than from the window's start; with withBuffers, the start of the next window of "+
					"this length "+
					"over which one can be booked. Null where there is none.")
				w.Bool("exact", c.Exact, aboutExact)
			})
	})
}

func sumOf(counts []stock.LocationCount) (total int) {
	for i := range counts {
		total += counts[i].Count
	}
	return total
}

func (w *scribe) series(name string, steps []stock.Step, most int, about string) {
	wire.First(&w.Writer, name, "SeriesStep", wire.UpTo(steps, most), len(steps), about, func(s *stock.Step) {
		w.Range("range", s.Range, "From when until when the value holds.")
		w.Key("value", wire.NumberSchema, "The value in that time.")
		w.Out = strconv.AppendFloat(w.Out, s.Value, 'f', -1, 64)
	})
}
