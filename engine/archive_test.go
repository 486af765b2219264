package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns the tests of what keeps an archive from being half in place: commands of bounded size, crashes between
// them, and accounts that are not for it. What comes of an archive is tested with the demo merchant (cmd/holdfast).

// archive is the account of the shop as an archive.
func (s *shop) archive() (text []byte, a *AccountArchive) {
	s.Helper()
	var b bytes.Buffer
	require.NoError(s.T, WriteArchive(s.view(), &b))
	a, err := ReadArchive(bytes.NewReader(b.Bytes()))
	require.NoError(s.T, err)
	return b.Bytes(), a
}

// filled is a shop with some of everything that takes stock.
func filled(t *testing.T) *shop {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 3)
	for n := range int64(6) {
		s.book(base.Item{SKU: sku}, noon+n*3*hour, noon+(n*3+2)*hour, 2)
	}
	o := s.rent(base.Item{SKU: sku}, noon+30*hour, noon+40*hour, 2)
	s.rent(base.Item{SKU: sku}, noon+50*hour, noon+60*hour, 1)
	s.do(hold.PlaceHold{Lines: s.booking(base.Item{SKU: sku}, noon+70*hour, noon+80*hour, 1).Lines,
		ExpiresIn: ptr(int64(600))})
	require.NotZero(t, o.Number)
	s.do(outbox.CreateWebhook{EventType: base.OrderUpdated, APIVersion: "2025-06", Secret: testSecret,
		WebhookFields: outbox.WebhookFields{URL: "https://example.com/hook"}})
	s.do(CreateKey{PublicID: "abcdefgh", Label: "counter"})
	return s
}

const testSecret = "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

// archivedRows are the lines of an archive's rows, without those that say whose they are.
func archivedRows(text []byte) (rows []string) {
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, `{"kind":`) && !strings.HasPrefix(line, `{"kind":"account"`) &&
			!strings.HasPrefix(line, `{"kind":"ledger"`) {
			rows = append(rows, line)
		}
	}
	return rows
}

var zeroSecret = func() (b [outbox.SecretBytes]byte) { return b }

// An import that is cut short behind any of its commands, by a crash, is gone on with and doubles nothing. Until the
// last of them the account does nothing: no command, and nothing that is due.
func TestImportOfAnAccountGoesOnWhereItEnded(t *testing.T) {
	for _, newIDs := range []bool{false, true} {
		s := filled(t)
		text, a := s.archive()
		require.NotContains(t, string(text), "whsec_")
		require.NotContains(t, string(text), "abcdefgh")
		s.bounded(base.Bounds{Group: 5})
		into := ImportArchive{Account: base.MakeID(noon, base.Base{Lo: 9}), Name: "Other", NewIDs: newIDs,
			Secret: zeroSecret}
		s.now += 700_000 // the cart has expired by now
		ctx, stop := context.WithCancel(t.Context())
		stop()
		commands, before := 0, 0
		for {
			r, err := s.Import(ctx, a, into)
			require.Equal(t, before, r.Before)
			commands++
			v, ok := s.View(into.Account)
			require.True(t, ok)
			require.NoError(t, s.Engine.Check())
			var again bytes.Buffer
			require.NoError(t, WriteArchive(v, &again))
			s.shut()
			s.open()
			if err == nil {
				require.Len(t, archivedRows(again.Bytes()), len(archivedRows(text)))
				require.Equal(t, newIDs, !slices.Equal(archivedRows(text), archivedRows(again.Bytes())))
				_, err = ReadArchive(&again)
				require.NoError(t, err)
				break
			}
			require.ErrorIs(t, err, context.Canceled)
			before = v.Imported().Done
			require.Error(t, v.Ready())
			var refusal *base.Error
			_, err = s.Do(Command{Account: into.Account, Op: CreateKey{PublicID: "12345678", Label: "x"}})
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, base.CodeNotReady, refusal.Code)
			require.NoError(t, s.Tick(t.Context()))
			v, _ = s.View(into.Account)
			require.Equal(t, before, v.Imported().Done, "a start and the clock leave it as it is")
		}
		require.Greater(t, commands, 5)
		v, _ := s.View(into.Account)
		require.Nil(t, v.Ready())
		require.Equal(t, "Other", v.Account().Name)
		sequence := v.Sequence()
		r, err := s.Import(t.Context(), a, into)
		require.NoError(t, err)
		require.Equal(t, [2]int{r.Rows, 1}, [2]int{r.Before, r.Hooks})
		v, _ = s.View(into.Account)
		require.Equal(t, sequence, v.Sequence(), "it is not done again")
		for w := range outbox.WebhookTable(v.Acc).All() {
			require.False(t, w.Enabled)
			require.NotEqual(t, testSecret, w.Secret)
			require.NotEmpty(t, w.Secret)
		}
		for l := range stock.Locations(v).All() {
			require.Equal(t, newIDs, !strings.Contains(string(text), l.ID.String()))
		}
		require.NoError(t, s.Tick(t.Context()))
	}
}

// Under other ids each hold is for the same customer, and its kits are of what they were booked with, though the kit
// takes less by now.
func TestHoldsOfAnArchiveUnderOtherIDsStayWhoseAndWhatTheyWere(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 12)
	kit := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 2})
	for _, name := range []string{"Ann", "Ben"} {
		m := s.do(commerce.CreateCustomer{
			Contact: base.Changed(commerce.Contact{FirstName: new(name)})}).(*commerce.Customer).ID
		o := hold.PlaceHold{Lines: s.booking(kit, noon+10*hour, noon+20*hour, 1).Lines, Customer: &m}
		o.Lines = append(o.Lines, s.booking(base.Item{SKU: sku}, noon+10*hour, noon+20*hour, 1).Lines...)
		s.do(o)
	}
	s.do(hold.PlaceHold{Lines: s.booking(base.Item{SKU: sku}, noon+10*hour, noon+20*hour, 1).Lines})
	s.do(takes(kit.CatalogItem, commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1}))
	_, a := s.archive()
	into := ImportArchive{Account: base.MakeID(noon, base.Base{Lo: 9}), Name: "Other", NewIDs: true, Secret: zeroSecret}
	_, err := s.Import(t.Context(), a, into)
	require.NoError(t, err)
	s.reopen()
	v, ok := s.View(into.Account)
	require.True(t, ok)
	ids := func(v base.View) (people, skus []base.ID) {
		for m := range commerce.CustomerTable(v.Acc).All() {
			people = append(people, m.ID)
		}
		for x := range stock.SKUTable(v.Acc).All() {
			skus = append(skus, x.ID)
		}
		return people, skus
	}
	people, skus := ids(v)
	were, _ := ids(s.view())
	require.Len(t, people, 2)
	holds, total := hold.ListHolds(v, &hold.HoldQuery{Part: base.Part{Limit: 10}, Units: 10})
	require.Equal(t, 3, total)
	require.Equal(t, base.ID{}, holds[2].Customer)
	for i, id := range people {
		require.NotContains(t, were, id)
		require.Equal(t, id, holds[i].Customer)
		page, total := hold.ListHolds(v, &hold.HoldQuery{Customer: &id, Part: base.Part{Limit: 10}, Units: 10})
		require.Equal(t, 1, total)
		require.Equal(t, holds[i], page[0])
		require.Equal(t, []commerce.Component{{Item: base.Item{SKU: skus[0]}, Quantity: 2}},
			hold.Holds(v.Acc).Get(holds[i].ID).Lines[0].Booked.Components)
		r, err := s.Do(Command{Account: into.Account,
			Op: hold.ChangeHold{ID: holds[i].ID, Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(2)}}}})
		require.NoError(t, err)
		require.Equal(t, 4, r.Record.(*hold.Hold).Lines[0].Taken)
	}
	require.NoError(t, s.Engine.Check())
}

// What orders were given of other systems' ids stays as it is under other ids: nobody else's change with ours.
func TestForeignIDsOfAnArchiveStay(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 12)
	given := func(n uint64) *base.ID { return ptr(base.MakeID(noon-day, base.Base{Lo: n})) }
	from, to := noon+10*hour, noon+20*hour
	was := s.do(order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc,
			Assigned: &order.UserRef{ID: *given(1), Name: "Rui"},
			Consents: []order.Consent{
				{ConfigID: given(2), Links: []order.ConsentLink{{Kind: "policy", PolicyDocumentID: given(3)}}}},
			Fields: []order.CheckoutField{
				{Name: "Size", Type: "text", CheckoutFieldID: given(4), IDs: []base.ID{*given(5)}}}},
		Lines: []order.OrderLineInput{{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1,
			From: &from, To: &to, CatalogAddon: given(6), CartAddon: given(7)}}}).(*order.OrderRecord)
	s.do(order.PatchOrder{ID: was.ID, Method: base.Changed(order.PaymentMethod{
		Custom: &order.CustomMethod{ID: *given(8), Label: "Barter"}})})
	_, a := s.archive()
	into := ImportArchive{Account: base.MakeID(noon, base.Base{Lo: 9}), Name: "Other", NewIDs: true, Secret: zeroSecret}
	_, err := s.Import(t.Context(), a, into)
	require.NoError(t, err)
	v, _ := s.View(into.Account)
	for is := range order.OrderTable(v.Acc).All() {
		require.NotEqual(t, was.ID, is.ID)
		line := is.Lines[0].More
		require.NotEqual(t, was.Lines[0].ID, is.Lines[0].ID)
		require.Equal(t, *given(1), is.More.Assigned.ID)
		require.Equal(t, given(2), is.More.Consents[0].ConfigID)
		require.Equal(t, given(3), is.More.Consents[0].Links[0].PolicyDocumentID)
		require.Equal(t, given(4), is.More.Fields[0].CheckoutFieldID)
		require.Equal(t, []base.ID{*given(5)}, is.More.Fields[0].IDs)
		require.Equal(t, [2]base.ID{*given(6), *given(7)}, [2]base.ID{line.CatalogAddon, line.CartAddon})
		require.Equal(t, *given(8), is.More.Method.Custom.ID)
	}
}

// An archive goes into an account without records, and into no other; and not into the past.
func TestImportOfAnAccountIsRefused(t *testing.T) {
	s := filled(t)
	_, a := s.archive()
	code := func(o ImportArchive) base.Code {
		o.Secret = zeroSecret
		seq, hash := s.State()
		_, err := s.Import(t.Context(), a, o)
		var refusal *base.Error
		require.True(t, errors.As(err, &refusal), "%v", err)
		gotSeq, gotHash := s.State()
		require.Equal(t, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash})
		return refusal.Code
	}
	require.Equal(t, base.CodeConflict, code(ImportArchive{Account: s.acc}))
	require.Equal(t, base.CodeInvalid,
		code(ImportArchive{Account: base.MakeID(noon, base.Base{Lo: 9}), Name: strings.Repeat("x", 300)}))

	// One that has keys alone keeps them, and its name.
	other := base.MakeID(noon, base.Base{Lo: 10})
	_, err := s.Do(Command{Account: other,
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Mine"}, Plan: "growth"}})
	require.NoError(t, err)
	_, err = s.Do(Command{Account: other, Op: CreateKey{PublicID: "12345678", Label: "x"}})
	require.NoError(t, err)
	_, err = s.Import(t.Context(), a, ImportArchive{Account: other, Secret: zeroSecret})
	require.NoError(t, err)
	v, _ := s.View(other)
	require.Equal(t, [2]string{"Mine", "growth"}, [2]string{v.Account().Name, v.Account().Plan})
	require.Equal(t, 1, Keys(v).Len())
	require.Equal(t, base.CodeConflict, code(ImportArchive{Account: other, NewIDs: true}))
	s.reopen()

	a.Head.At = s.now + 5_000
	require.Equal(t, base.CodeConflict, code(ImportArchive{Account: base.MakeID(noon, base.Base{Lo: 11})}))
}

// Ids that are moved keep their order and distances, also when they are moved once more, and the way is told as text.
func TestIDsAreMoved(t *testing.T) {
	var list []base.ID
	for ms := range int64(3) {
		for _, b := range []base.Base{{}, {Lo: 1}, {Lo: 1<<base.LowBits - 1}, {Hi: 1},
			{Hi: 0x07ff, Lo: 1<<base.LowBits - 9}} {
			list = append(list, base.MakeID(noon+ms, b))
		}
	}
	slices.SortFunc(list, base.ID.Compare)
	for round := range 3 {
		least, most := base.Base{Hi: 0x0fff}, base.Base{}
		for _, id := range list {
			_, b := base.SplitID(id)
			if b.Less(least) {
				least = b
			}
			if most.Less(b) {
				most = b
			}
		}
		s, err := base.ParseIDShift(base.ShiftOf(least, most, []byte{byte(round)}).String())
		require.NoError(t, err)
		for i, id := range list {
			n := s.Of(id)
			require.NotEqual(t, id, n)
			require.Equal(t, base.CreatedAt(id), base.CreatedAt(n))
			require.Equal(t, s.Of(base.After(id, 3)), base.After(n, 3))
			_, ok := base.ParseID(n.String())
			require.True(t, ok)
			list[i] = n
		}
		require.True(t, slices.IsSortedFunc(list, base.ID.Compare), "round %d", round)
	}
	require.Equal(t, base.ID{}, base.IDShift{By: base.Base{Hi: 1, Lo: 1}}.Of(base.ID{}))
	require.Equal(t, base.MaxID, base.IDShift{By: base.Base{Hi: 1, Lo: 1}}.Of(base.MaxID))
}

// sealed makes an archive of lines, head first and end last: with sums, counts and the hash of what stands in them.
func sealed(t *testing.T, lines [][]byte) []byte {
	t.Helper()
	out, rows := bytes.Clone(lines[0]), map[string]int{}
	for _, line := range lines[1 : len(lines)-1] {
		var l ArchiveLine
		if strict(line, &l) == nil && kindNamed(l.Kind) != nil {
			if l.Sum = ""; l.Row != nil || l.Bytes != nil {
				_, err := l.image()
				_, l.Sum, _ = strings.Cut(err.Error(), "its sum is ")
				l.Sum, _, _ = strings.Cut(l.Sum, ",")
			}
			rows[l.Kind]++
			line = mustPlainJSON(l)
		}
		out = append(out, line...)
	}
	end := ArchiveEnd{Rows: rows, LeftOut: map[string]int{}}
	sum := sha256.New()
	sum.Write(out)
	sum.Write(mustPlainJSON(end))
	end.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return append(out, mustPlainJSON(end)...)
}

// A date of birth of the year 0, which older versions took, stays as it is in the account that an archive becomes.
func TestArchiveKeepsDatesOfBirthOfOlderVersions(t *testing.T) {
	s := newShop(t)
	m := s.do(commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{FirstName: new("Ann"),
		DateOfBirth: new("1980-02-29")})}).(*commerce.Customer)
	text, _ := s.archive()
	lines := bytes.SplitAfter(bytes.Replace(text, []byte("1980-02-29"), []byte("0000-02-29"), 1), []byte("\n"))
	a, err := ReadArchive(bytes.NewReader(sealed(t, lines[:len(lines)-1])))
	require.NoError(t, err)
	other := base.MakeID(noon, base.Base{Lo: 9})
	_, err = s.Import(t.Context(), a, ImportArchive{Account: other, Secret: zeroSecret})
	require.NoError(t, err)
	v, _ := s.View(other)
	is := commerce.CustomerByID(v, m.ID).Contact
	require.Equal(t, "0000-02-29", *is.DateOfBirth)
	require.True(t, is.Unborn(v.Account(), s.now))
}

// An archive of which anything was cut, changed or swapped is refused. One that was sealed anew after that is refused,
// or is an account that is in order: it never breaks the program.
func TestArchiveIsJudged(t *testing.T) {
	long(t)
	s := filled(t)
	text, _ := s.archive()
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines = lines[:len(lines)-1]
	_, err := ReadArchive(bytes.NewReader(sealed(t, lines)))
	require.NoError(t, err)
	judge := func(lines [][]byte) error {
		_, err := ReadArchive(bytes.NewReader(bytes.Join(lines, nil)))
		return err
	}
	refused := func(lines [][]byte, what string, n int) {
		var refusal *base.Error
		require.ErrorAs(t, judge(lines), &refusal, "line %d %s", n, what)
		require.Equal(t, base.CodeInvalid, refusal.Code)
		require.Len(t, refusal.Faults, 1)
	}
	draw := rand.New(rand.NewPCG(1, 15))
	passed := 0
	tried := func(lines [][]byte) {
		a, err := ReadArchive(bytes.NewReader(sealed(t, lines)))
		var refusal *base.Error
		if err != nil {
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, base.CodeInvalid, refusal.Code)
			return
		}
		passed++
		if passed%16 == 0 && passed < 200 {
			_, err = s.Import(t.Context(), a,
				ImportArchive{Account: base.MakeID(noon, base.Base{Lo: uint64(1000 + passed)}), Secret: zeroSecret})
			require.NoError(t, err)
			require.NoError(t, s.Engine.Check())
		}
	}
	for n, line := range lines {
		with := func(line ...[]byte) [][]byte { return slices.Concat(lines[:n], line, lines[n+1:]) }
		refused(with(), "is cut out", n)
		refused(with(line[:len(line)/2]), "is cut", n)
		refused(with(line, line), "is there twice", n)
		changed := bytes.Clone(line)
		changed[draw.IntN(len(changed)-1)] ^= 1
		refused(with(changed), "is changed", n)
		if n+1 < len(lines) && !bytes.Equal(line, lines[n+1]) {
			refused(slices.Concat(lines[:n], [][]byte{lines[n+1], line}, lines[n+2:]), "is swapped", n)
		}
		if n == 0 || n == len(lines)-1 {
			continue
		}
		tried(with())
		tried(with(line, line))
		tried(slices.Concat(lines[:n], [][]byte{lines[n+1], line}, lines[n+2:]))
		for range 10 {
			var l ArchiveLine
			require.NoError(t, strict(line, &l))
			raw := l.Bytes
			if l.Row != nil {
				raw = l.Row
			}
			at := draw.IntN(len(raw))
			if digit := raw[at] >= '0' && raw[at] <= '9'; digit && l.Row != nil {
				raw[at] = '0' + byte(draw.IntN(10))
			} else {
				raw[at] ^= 1 << draw.IntN(8)
			}
			if l.Row == nil || json.Valid(l.Row) {
				tried(with(mustPlainJSON(l)))
			}
		}
	}
	require.Greater(t, passed, 50)
	s.now += 1000 * hour
	require.NoError(t, s.Tick(t.Context()))
	require.NoError(t, s.Engine.Check())
}
