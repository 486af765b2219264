package api

import (
	"slices"
	"strings"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns what is asked of articles; article_record.go writes them.

var articleStatus = wire.Words[stock.ArticleStatus]()

type createArticle struct {
	stock.CreateArticle
	before, after bufferInput
}

func (o *createArticle) command(q *request) stock.CreateArticle {
	o.Before, o.After = q.buffer("Before", o.before), q.buffer("After", o.after)
	return o.CreateArticle
}

var createArticleShape = wire.ShapeOf("CreateArticle", slices.Concat(
	wire.MadeOf(func(o *createArticle) *stock.ArticleFields { return &o.ArticleFields }),
	[]wire.Field[createArticle]{
		wire.Defaulted("quantities", wire.ListOf(wire.Object(wire.ShapeOf("InitialQuantity",
			wire.Required("serviceLocationId", wire.UUID,
				func(i *stock.InitialQuantity) *base.ID { return &i.Location }).Says("The location."),
			wire.Required("count", count, func(i *stock.InitialQuantity) *int { return &i.Count }).
				Says("How many units."),
			wire.Optional("from", wire.Instant, func(i *stock.InitialQuantity) **int64 { return &i.From }).
				Says("From when on the units are there. Default: now."),
		)), 0, 1000), nil, func(o *createArticle) *[]stock.InitialQuantity {
			return &o.Quantities
		}).Says("How many units it has where. Default: none."),
	},
	labelFields(func(o *createArticle) *label.LabelsPatch { return &o.Labels }),
	detailFields(func(o *createArticle) *stock.DetailsPatch { return &o.Details }),
	bufferFields("Before", func(o *createArticle) *bufferInput { return &o.before }),
	bufferFields("After", func(o *createArticle) *bufferInput { return &o.after }))...)

var patchArticleShape = wire.ShapeOf("PatchArticle", slices.Concat(
	wire.ChangedBy(func(o *patchArticle) *base.Changes[stock.ArticleFields] { return &o.Fields }),
	[]wire.Field[patchArticle]{
		wire.Flag("force", func(o *patchArticle) *bool { return &o.Force }).Says(aboutForce),
		wire.Flag("dryRun", func(o *patchArticle) *bool { return &o.dryRun }).Says(aboutDryRun),
	},
	labelFields(func(o *patchArticle) *label.LabelsPatch { return &o.Labels }),
	detailFields(func(o *patchArticle) *stock.DetailsPatch { return &o.Details }),
	bufferPatchFields("Before", func(o *patchArticle) *stock.BufferPatch { return &o.Before }),
	bufferPatchFields("After", func(o *patchArticle) *stock.BufferPatch { return &o.After }))...)

// window is a range or an instant that an answer is evaluated over.
type window struct{ from, to int64 }

// dateRange is the evaluation window of a query; without it the answer is about the present instant.
var dateRange = wire.Object(wire.ShapeOf("DateRange",
	wire.Required("from", wire.Instant, func(w *window) *int64 { return &w.from }).Says("First instant of the window."),
	wire.Required("to", wire.Instant, func(w *window) *int64 { return &w.to }).
		Says("May equal from, which asks about an instant.")))

// checkWindow checks a dateRange, if it is given.
func (q *request) checkWindow(w *window) { q.checkRange("/dateRange", w) }

// checkRange checks a range under a pointer, if it is given.
func (q *request) checkRange(pointer string, w *window) {
	from, to := q.place(pointer+"/from"), q.place(pointer+"/to")
	if w != nil && w.from > w.to && !q.faults.At(from.Pointer) && !q.faults.At(to.Pointer) {
		to.Code, to.Message = wire.FaultOrder, "must not be before the start of the range"
		q.faults.Add(to)
	}
}

// place is a fault of what the pointer points to: in the body, or of the parameter that stands for it in the query of
// an operation without a body.
func (q *request) place(pointer string) base.Fault {
	if q.op.body != nil {
		return base.Fault{In: "body", Pointer: pointer}
	}
	name, rest, nested := strings.Cut(pointer[1:], "/")
	if nested {
		name += "[" + strings.ReplaceAll(rest, "/", "][") + "]"
	}
	return base.Fault{In: "query", Pointer: name}
}

// span is the window to evaluate over.
func (q *request) span(w *window) base.Span {
	if w == nil {
		return base.Span{Start: q.now, End: q.now}
	}
	return base.Span{Start: w.from, End: w.to}
}

type getArticle struct {
	id     base.ID
	window *window
}

// answerArticle answers a write with the article at the present instant. The record is the command's own; its units are
// those of the state after the command.
var answerArticle = behind(func(q *request, r *stock.Article) error {
	q.tag = r.Revision
	return q.appendArticle(r, q.span(nil))
})

var (
	stockRead  = []string{"inventory.stock_items.read"} // articles, what they are taken for, and what is free
	stockWrite = []string{"inventory.stock_items.write"}
)

type archiveArticle struct {
	stock.ArchiveArticle
	dryRun bool
}

type patchArticle struct {
	stock.PatchArticle
	dryRun bool
}

const aboutForce = "Holds to come that find no other place become conflicts. Without it that is refused, with the plan."

var archiveArticleShape = wire.ShapeOf("ArchiveArticle",
	wire.Flag("force", func(o *archiveArticle) *bool { return &o.Force }).Says(aboutForce),
	wire.Flag("dryRun", func(o *archiveArticle) *bool { return &o.dryRun }).Says(aboutDryRun))

// archivingArticle is one of the two that archive an article and bring it back; what is so already stays as it is.
func archivingArticle(verb, summary string, archived bool, body *wire.Shape[archiveArticle]) operation {
	return write(operation{
		id: "admin.articles." + verb, method: "POST", path: "/v1/admin/articles/{id}/" + verb, scopes: stockWrite,
		answer: articleSchema, summary: summary,
	}, input[archiveArticle]{path: byID(func(o *archiveArticle) *base.ID { return &o.ID }), body: body},
		func(q *request, o *archiveArticle) base.OpOf[*stock.Article] {
			o.Archived, q.preview = archived, o.dryRun
			return o.ArchiveArticle
		}, answerArticle)
}

var articleOperations = append([]operation{
	listOfArticles(operation{
		id: "admin.articles.list", method: "GET", path: "/v1/admin/articles",
		summary: "Lists the articles that pass all filters, their stock evaluated over a window.",
	}, input[listArticles]{query: listArticlesShape}),
	listOfArticles(operation{
		id: "admin.articles.search", method: "POST", path: "/v1/admin/articles/search",
		summary: "Lists articles as the GET does, of a query given as one JSON object.",
	}, input[listArticles]{body: listArticlesShape}),
	write(operation{
		id: "admin.articles.create", method: "POST", path: "/v1/admin/articles", scopes: stockWrite,
		answer: articleSchema, summary: "Creates an article, with its first units.",
	}, input[createArticle]{body: createArticleShape}, func(q *request, o *createArticle) base.OpOf[*stock.Article] {
		return o.command(q)
	}, answerArticle),
	readChecked(operation{
		id: "admin.articles.get", method: "GET", path: "/v1/admin/articles/{id}", scopes: stockRead,
		answer: articleSchema, summary: "Returns an article, its stock evaluated over a window.",
	}, input[getArticle]{
		path: byID(func(o *getArticle) *base.ID { return &o.id }),
		query: wire.ShapeOf("GetArticle",
			wire.Optional("dateRange", dateRange, func(o *getArticle) **window { return &o.window }).
				Says("The window that is looked at. Default: the present instant.")),
	},
		func(q *request, o *getArticle) { q.checkWindow(o.window) },
		func(q *request, o *getArticle) error {
			r := stock.ArticleByID(q.view, o.id)
			if r == nil {
				return notFound("article")
			}
			q.tag = r.Revision
			return q.appendArticle(r, q.span(o.window))
		}),
	readChecked(operation{
		id: "admin.articles.listUnavailabilities", method: "GET", path: "/v1/admin/articles/{id}/unavailabilities",
		scopes: stockRead, summary: "Lists the unavailabilities of an article in a window, in order of creation.",
		answer: pagedSchema(unavailabilitySchema),
	}, input[listUnits]{
		path: byID(func(l *listUnits) *base.ID { return &l.of }),
		query: wire.ShapeOf("ListArticleUnavailabilities",
			append(pageFields(func(l *listUnits) *page { return &l.page }),
				wire.Optional("dateRange", dateRange, func(l *listUnits) **window { return &l.window }).
					Says("The window that is looked at. Default: the present instant."))...),
	},
		func(q *request, l *listUnits) { q.checkWindow(l.window) },
		func(q *request, l *listUnits) error {
			units, total, err := stock.ArticleUnits(q.view, l.of, q.span(l.window), l.page.part())
			if err != nil {
				return err
			}
			appendRows(q, l.page, units, total, listedUnit)
			return nil
		}),
	write(operation{
		id: "admin.articles.update", method: "PATCH", path: "/v1/admin/articles/{id}", scopes: stockWrite,
		answer: articleSchema,
		summary: "Changes an article. If it is taken out of use, its auto-assigned holds move to other articles of " +
			"its pool. If some find no place there, the request is refused with the plan, unless it is forced.",
	}, input[patchArticle]{path: byID(func(o *patchArticle) *base.ID { return &o.ID }), body: patchArticleShape},
		func(q *request, o *patchArticle) base.OpOf[*stock.Article] {
			q.preview = o.dryRun
			return o.PatchArticle
		}, answerArticle),
	removal(operation{
		id: "admin.articles.delete", path: "/v1/admin/articles/{id}", scopes: stockWrite,
		summary: "Deletes an article with its units and events, unless a hold or reservation that is not over takes " +
			"one of them.",
	}, input[stock.DeleteArticle]{path: byID(func(o *stock.DeleteArticle) *base.ID { return &o.ID })}),
	archivingArticle("archive", "Takes an article out of use. Its auto-assigned holds move to other articles of its "+
		"pool. If some find no place there, the request is refused with the plan, unless it "+
		"is forced.", true, archiveArticleShape),
	archivingArticle("unarchive", "Takes an article back into use. Conflicts that it can serve get its units.", false,
		nil),
}, tagged[*stock.Article]{
	of: stock.ArticleLabels, about: "an article", area: "articles", path: "/v1/admin/articles", id: wire.LooseID,
	scopes: stockWrite, answer: articleSchema, render: answerArticle,
}.linkOperations()...)
