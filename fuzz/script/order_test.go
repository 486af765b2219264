package script

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the steps of orders, kits, prices and calendars of rentals.

// counter does a step at the counter, or with what is sold there.
func (s *scenario) counter(f []string) string {
	switch f[0] {
	case "kit": // NAME and ITEMs [xQUANTITY]
		o := commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: f[1]}}
		for _, word := range f[2:] {
			if n, ok := strings.CutPrefix(word, "x"); ok {
				o.Components[len(o.Components)-1].Quantity = s.number(n)
				continue
			}
			o.Components = append(o.Components, commerce.Component{Item: s.item(word), Quantity: 1})
		}
		i, _ := s.do(o)
		s.call(f[1], i.(*commerce.CatalogItem).ID)
	case "row": // NAME TABLE PRICE for LENGTH, or PRICE each LENGTH of a subscription
		return s.row(f)
	case "reprice": // ROW PRICE
		_, came := s.do(commerce.PatchPricingRow{Table: s.tables[f[1]], ID: s.id(f[1]),
			Fields: base.Changed(commerce.PricingRowFields{Price: int64(s.number(f[2]))})})
		return came
	case "drop": // ROW
		_, came := s.do(commerce.DeletePricingRow{Table: s.tables[f[1]], ID: s.id(f[1])})
		return came
	case "offer": // NAME ITEM by TABLE
		table := s.id(option(f, "by"))
		i, _ := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: f[1],
			Components: []commerce.Component{{Item: s.item(f[2]), Quantity: 1}}},
			CatalogOffer: commerce.CatalogOffer{PricingTable: &table}})
		s.call(f[1], i.(*commerce.CatalogItem).ID)
	// NAME LOCATION and lines of ITEM WINDOW [xQUANTITY] [by=ROW] [sale] [subscription], with commas between [back
	// LOCATION]
	case "order":
		return s.place(f)
	case "until": // ORDER HOUR
		to := s.at(f[2])
		_, came := s.do(order.PatchOrderLine{Order: s.id(f[1]), ID: s.orderOf(f[1]).Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{To: new(to)})})
		return s.orElseStand(f[1], came)
	case "hand": // ORDER [ready] and numbers of units; none: all
		units := s.units(f[1], f[2:])
		_, came := s.do(order.FulfillOrder{ID: s.id(f[1]), Units: units, Ready: slices.Contains(f, "ready")})
		return s.orElseStand(f[1], came)
	case "return":
		_, came := s.do(order.ReturnOrder{ID: s.id(f[1]), Units: s.units(f[1], f[2:])})
		return s.orElseStand(f[1], came)
	case "ready":
		_, came := s.do(order.ReadyUnit{Order: s.id(f[1]), Unit: s.units(f[1], f[2:])[0]})
		return came
	case "undo":
		_, came := s.do(order.UndoOrder{ID: s.id(f[1]), Units: s.units(f[1], f[2:])})
		return s.orElseStand(f[1], came)
	case "cancel":
		_, came := s.do(order.CancelOrder{ID: s.id(f[1])})
		return came
	case "stand":
		return s.stand(f[1])
	case "starts": // ITEM LOCATION WINDOW for LENGTH [daily TIME,TIME]
		return s.starts(f)
	case "times": // N every HOURS STEP: in the step # is the number, and windows move on
		return s.times(f)
	default:
		s.t.Fatalf("no step is called %q", f[0])
	}
	return ""
}

func (s *scenario) number(word string) int {
	n, err := strconv.Atoi(word)
	require.NoError(s.t, err)
	return n
}

func (s *scenario) row(f []string) string {
	table, ok := s.ids[f[2]]
	if !ok {
		r, _ := s.do(commerce.CreatePricingTable{PricingTableFields: commerce.PricingTableFields{Name: f[2]}})
		table = r.(*commerce.PricingTable).ID
		s.call(f[2], table)
	}
	o := commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: f[1],
		Purchase: base.PurchaseBooking, Price: int64(s.number(f[3]))}, Duration: s.buffer(option(f, "for"))}
	if cycle := s.buffer(option(f, "each")); cycle != nil {
		o.Purchase, o.Subscription = base.PurchaseSubscription, &commerce.SubscriptionTerms{
			Cycle: *cycle, RenewalType: commerce.DefaultRenewalType, InitialCharge: commerce.DefaultInitialCharge,
		}
	}
	r, came := s.do(o)
	if came == "" {
		id := r.(*commerce.PricingRow).ID
		s.call(f[1], id)
		s.tables[f[1]] = table
	}
	return came
}

func (s *scenario) place(f []string) string {
	o := order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.id(f[2])}}
	words := f[3:]
	if n := len(words); n > 2 && words[n-2] == "back" {
		to := s.id(words[n-1])
		o.Return, words = &to, words[:n-2]
	}
	for line := range strings.SplitSeq(strings.Join(words, " "), ",") {
		f := strings.Fields(line)
		w := s.span(f[1])
		l := order.OrderLineInput{Item: s.item(f[0]), Purchase: base.PurchaseBooking, Quantity: 1, From: &w.Start}
		if w.End != base.Forever {
			l.To = &w.End
		}
		for _, word := range f[2:] {
			row, named := strings.CutPrefix(word, "by=")
			n, many := strings.CutPrefix(word, "x")
			switch {
			case named:
				id := s.id(row)
				l.PricingRow = &id
			case many:
				l.Quantity = s.number(n)
			default:
				l.Purchase = base.PurchaseType(word)
			}
		}
		o.Lines = append(o.Lines, l)
	}
	r, came := s.do(o)
	if came == "" {
		s.call(f[1], r.(*order.OrderRecord).ID)
		came = s.stand(f[1])
	}
	return came
}

func (s *scenario) orderOf(name string) *order.OrderRecord {
	return order.OrderByID(s.w.View(0), s.id(name))
}

// units are those of an order by their numbers, from 1; without any it is nil, which stands for all.
func (s *scenario) units(name string, numbers []string) (list []base.ID) {
	var all []base.ID
	for _, l := range s.orderOf(name).Lines {
		for _, u := range l.Units {
			all = append(all, u.ID)
		}
	}
	for _, word := range numbers {
		if word != "ready" {
			list = append(list, all[s.number(word)-1])
		}
	}
	return list
}

func (s *scenario) orElseStand(name, came string) string {
	if came == "" {
		return s.stand(name)
	}
	return came
}

// stand tells how an order stands: its state, what its lines cost and when they are paid again, and of each unit its
// state and where it is.
func (s *scenario) stand(name string) string {
	o := s.orderOf(name)
	came := o.Status.String()
	for _, l := range o.Lines {
		if l.UnitPrice != 0 {
			came += fmt.Sprintf(", %d", l.UnitPrice*int64(l.Quantity))
		}
		if b := l.Subscription; b != nil && b.NextBillingAt != 0 {
			came += " again at " + hours(b.NextBillingAt)
		}
	}
	for _, l := range o.Lines {
		for _, u := range l.Units {
			x, found := stock.UnavailabilityByID(s.w.View(0), u.Hold)
			where := "nowhere"
			switch {
			case found && x.Slot != (base.ID{}):
				where = "on " + s.unit(x.Slot)
			case found:
				where = "in conflict"
			}
			came += fmt.Sprintf("\n%s %s", u.State, where)
			if found {
				came += fmt.Sprintf(" %s-%s", hours(x.Range.Start), hours(x.Range.End))
			}
		}
	}
	return came
}

// starts lists the days of a calendar of rentals, each of which is tried.
func (s *scenario) starts(f []string) string {
	q := hold.StartQuery{Query: hold.Query{Item: s.item(f[1]), Location: s.id(f[2]), Window: s.span(f[3])},
		Length: *s.buffer(option(f, "for"))}
	if times := option(f, "daily"); times != "" {
		for word := range strings.SplitSeq(times, ",") {
			hour, minute, _ := strings.Cut(word, ":")
			q.Times = append(q.Times, int64(s.number(hour))*timeline.Hour+int64(s.number(minute))*timeline.Minute)
		}
	}
	list, err := s.w.Tenants[0].Twin.Starts(s.w.View(0), q, s.w.Now())
	require.NoError(s.t, err)
	came := ""
	for _, x := range list {
		l := hold.HoldLineInput{Item: q.Item, Location: q.Location, Window: x.Window}
		require.NoError(s.t, s.w.Keeps(0, l, x.Available, x.Exact))
		came += fmt.Sprintf("%d-%d %s-%s: %d\n", x.Date.Month, x.Date.Day, hours(x.Window.Start), hours(x.Window.End),
			x.Available)
	}
	return came
}

var window = regexp.MustCompile(`^([0-9.]+)-([0-9.]+)$`)

// times does a step again and again, and tells how often what came of it.
func (s *scenario) times(f []string) string {
	every, err := strconv.ParseFloat(option(f, "every"), 64)
	require.NoError(s.t, err)
	var came []string
	often := map[string]int{}
	for i := range s.number(f[1]) {
		step := slices.Clone(f[4:])
		for j, word := range step {
			if w := window.FindStringSubmatch(word); w != nil {
				moved := func(h string) string { return hours(s.at(h) + int64(float64(i)*every*hour)) }
				word = moved(w[1]) + "-" + moved(w[2])
			}
			step[j] = strings.ReplaceAll(word, "#", strconv.Itoa(i+1))
		}
		x := strings.TrimSpace(s.step(step))
		if often[x]++; often[x] == 1 {
			came = append(came, x)
		}
	}
	var out strings.Builder
	for _, x := range came {
		fmt.Fprintf(&out, "%d times %s\n", often[x], x)
	}
	return out.String()
}
