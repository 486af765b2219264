package dataset

import (
	"fmt"
	"time"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the data set as commands: a merchant that is set up and booked through the durable path of an engine.

// Window is how many commands are under way at once: they are judged in order, and none waits for another's sync.
const Window = 2048

// Merchant is the set as an engine's account, and two articles in addition to it.
type Merchant struct {
	Account   base.ID
	Locations []base.ID
	SKUs      []base.ID
	Articles  []base.ID

	LotSKU base.ID // of one article with LotUnits units at the first location, nothing booked
	Busy   base.ID // an article without SKU, BusyUnits units at the first location, BusyHolds holds after Middle
}

// What the two additional articles have.
const (
	LotUnits  = 10_000
	BusyUnits = 20
	BusyHolds = 1_000
)

var accountID = makeID(Epoch-hour, 1)

// CreateMerchant makes account, locations, SKUs and articles, and books the busy article.
func (s *Set) CreateMerchant(e *engine.Engine) (*Merchant, error) {
	if _, err := e.Do(engine.Command{Account: accountID, Actor: actor,
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Bench"}}}); err != nil {
		return nil, err
	}
	p := NewPipeline(e, accountID)
	for i := range s.Locations {
		p.Submit(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: fmt.Sprintf("Location %d", i), Timezone: "UTC"}})
	}
	for i := range s.SKUs + 1 {
		p.Submit(stock.CreateSKU{SKUFields: stock.SKUFields{Name: fmt.Sprintf("SKU %d", i)}})
	}
	if err := p.Flush(); err != nil {
		return nil, err
	}
	m := s.merchant(e)
	create := func(sku *base.ID, location, units int) {
		from := Epoch - hour
		p.Submit(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Article", SKU: sku},
			Quantities: []stock.InitialQuantity{{Location: m.Locations[location], Count: units, From: &from}}})
	}
	for _, a := range s.Articles {
		create(&m.SKUs[a.SKU], a.Location, a.Units)
	}
	create(&m.LotSKU, 0, LotUnits)
	create(nil, 0, BusyUnits)
	if err := p.Flush(); err != nil {
		return nil, err
	}
	m = s.merchant(e)
	rng := Rand(7)
	for range BusyHolds {
		length := int64(1+rng.Int(7*24)) * hour
		start := Middle + hour + int64(rng.Int(int((End-Middle-length)/hour)))*hour
		p.Submit(m.command(base.Item{Article: m.Busy}, 0, start, start+length))
	}
	return m, p.Flush()
}

// FindMerchant reads the merchant from an engine that has one, and draws the holds again that it was booked with.
func (s *Set) FindMerchant(e *engine.Engine) *Merchant {
	for range s.Target {
		s.Next()
	}
	return s.merchant(e)
}

func (s *Set) merchant(e *engine.Engine) *Merchant {
	m := &Merchant{Account: accountID}
	v, _ := e.View(accountID)
	for r := range stock.Locations(v).All() {
		m.Locations = append(m.Locations, r.ID)
	}
	for r := range stock.SKUs(v).All() {
		m.SKUs = append(m.SKUs, r.ID)
	}
	for r := range stock.Articles(v).All() {
		m.Articles = append(m.Articles, r.ID)
	}
	m.LotSKU, m.SKUs = m.SKUs[s.SKUs], m.SKUs[:s.SKUs]
	if n := len(s.Articles); len(m.Articles) > n {
		m.Busy, m.Articles = m.Articles[n+1], m.Articles[:n]
	}
	return m
}

// Command is a drawn hold as the command that books it: one line, one unit, firm, of the SKU.
func (m *Merchant) Command(h Hold) hold.PlaceHold {
	return m.command(base.Item{SKU: m.SKUs[h.SKU]}, h.Location, h.Start, h.End)
}

// command books windows that are over, too: the bookings of a set that is kept are in the past after a while.
func (m *Merchant) command(item base.Item, location int, start, end int64) hold.PlaceHold {
	return hold.PlaceHold{Lines: []hold.HoldLineInput{{
		Item: item, Location: m.Locations[location], Window: timeline.Span{Start: start, End: end}, Quantity: 1,
	}}, AllowPast: true}
}

// Book draws n holds and books each with a command of its own. It says how long the engine took, without the drawing.
func (s *Set) Book(e *engine.Engine, m *Merchant, n int) (took time.Duration, err error) {
	const batch = 100_000
	list := make([]hold.PlaceHold, 0, min(n, batch))
	for n > 0 {
		list = list[:0]
		for range min(n, batch) {
			list = append(list, m.Command(s.Next()))
		}
		start := time.Now()
		p := NewPipeline(e, m.Account)
		for i := range list {
			p.Submit(list[i])
		}
		if err := p.Flush(); err != nil {
			return took, err
		}
		took += time.Since(start)
		n -= len(list)
	}
	return took, nil
}

const actor = "bench"

// Pipeline submits commands of one account in order, Window of them under way. It is for one goroutine.
type Pipeline struct {
	engine  *engine.Engine
	account base.ID
	under   [Window]*engine.Future
	head, n int
	err     error
}

// NewPipeline makes a pipeline to an engine.
func NewPipeline(e *engine.Engine, account base.ID) *Pipeline {
	return &Pipeline{engine: e, account: account}
}

// Submit hands a command over, and waits for the oldest one if Window are under way.
func (p *Pipeline) Submit(op base.Op) {
	if p.n == Window {
		p.settle()
	}
	p.under[(p.head+p.n)%Window] = p.engine.Submit(engine.Command{Account: p.account, Actor: actor, Op: op})
	p.n++
}

func (p *Pipeline) settle() {
	f := p.under[p.head]
	p.under[p.head], p.head, p.n = nil, (p.head+1)%Window, p.n-1
	if _, err := f.Wait(); err != nil && p.err == nil {
		p.err = err
	}
}

// Flush waits for all commands and returns the first error of any.
func (p *Pipeline) Flush() error {
	for p.n > 0 {
		p.settle()
	}
	err := p.err
	p.err = nil
	return err
}
