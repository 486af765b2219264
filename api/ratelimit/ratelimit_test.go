package ratelimit

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func now() int64 { return time.Now().UnixMilli() }

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Window
		var ok bool
		time.Sleep(time.Hour)
		start := now()
		for i := range int64(3) {
			w, ok = w.take(now(), 3, 1)
			require.True(t, ok)
			require.Equal(t, State{Account, 3, 2 - i, start + 60_000}, w.state(Account, 3))
			time.Sleep(10 * time.Second)
		}
		w, ok = w.take(now(), 3, 1)
		require.False(t, ok)
		w, ok = w.take(now(), 5, 5)
		require.False(t, ok, "all of a request is charged, or nothing")
		w, ok = w.take(now(), 5, 2)
		require.True(t, ok, "a larger plan counts at once")
		require.Equal(t, int64(0), w.state(Account, 3).Remaining, "and so does a smaller one")
		time.Sleep(30*time.Second - time.Millisecond)
		w, ok = w.take(now(), 5, 1)
		require.False(t, ok)
		time.Sleep(time.Millisecond)
		w, ok = w.take(now(), 5, 1)
		require.True(t, ok, "a minute after its first request a window is over")
		require.Equal(t, now()+60_000, w.state(Account, 5).Reset)
		// A clock that goes back by a little is in the same window; by more than that it begins another.
		require.Equal(t, w, w.at(now()-59_999))
		require.Equal(t, Window{start: now() - 60_000}, w.at(now()-60_000))
	})
}

func TestBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Bucket
		take := func() (ok bool, wait int64) {
			b, ok, wait = b.take(now(), 10, 50)
			return ok, wait
		}
		require.Equal(t, State{Key, 50, 50, now()}, b.state(now(), 50))
		for i := range int64(50) {
			ok, _ := take()
			require.True(t, ok)
			require.Equal(t, State{Key, 50, 49 - i, now() + (i+1)*100}, b.state(now(), 50))
		}
		ok, wait := take()
		require.False(t, ok)
		require.Equal(t, int64(100), wait)
		time.Sleep(99 * time.Millisecond)
		ok, wait = take()
		require.False(t, ok)
		require.Equal(t, int64(1), wait)
		time.Sleep(time.Millisecond)
		ok, _ = take()
		require.True(t, ok)
		// Sustained, exactly the rate gets through.
		passed := 0
		for range 1000 {
			time.Sleep(37 * time.Millisecond)
			if ok, _ := take(); ok {
				passed++
			}
		}
		require.Equal(t, 370, passed)
		// Unused, it is full again and no more than that.
		time.Sleep(time.Hour)
		passed = 0
		for range 100 {
			if ok, _ := take(); ok {
				passed++
			}
		}
		require.Equal(t, 50, passed)
		// A clock that goes back does not lock the key out for longer than an empty bucket does.
		_, ok, wait = b.take(now()-3_600_000, 10, 50)
		require.False(t, ok)
		require.Equal(t, int64(100), wait)
		// Nor does a plan that was larger.
		_, _, wait = b.take(now(), 2, 5)
		require.Equal(t, int64(500), wait)
	})
}

// What is told of a bucket holds to the millisecond, also at rates that last no whole milliseconds: a request that is
// made after its wait goes through and none before, and at Reset, not before, all of them are there.
func TestBucketKeepsWhatItTells(t *testing.T) {
	const at, burst = 1_000_000_000_000, 3
	for _, rate := range []int64{1, 3, 7, 300, 999, 1000} {
		var b Bucket
		for range burst {
			b, _, _ = b.take(at, rate, burst)
		}
		_, ok, wait := b.take(at, rate, burst)
		require.False(t, ok)
		_, ok, _ = b.take(at+wait-1, rate, burst)
		require.False(t, ok, rate)
		_, ok, _ = b.take(at+wait, rate, burst)
		require.True(t, ok, rate)
		full := b.state(at, burst).Reset
		require.Equal(t, int64(burst-1), b.state(full-1, burst).Remaining, rate)
		require.Equal(t, int64(burst), b.state(full, burst).Remaining, rate)
	}
}

func TestTighter(t *testing.T) {
	less, more := State{Key, 9, 2, 50}, State{Account, 5, 3, 70}
	require.Equal(t, less, Tighter(less, more))
	require.Equal(t, less, Tighter(more, less))
	long := State{Account, 9, 2, 51}
	require.Equal(t, long, Tighter(less, long))
	require.Equal(t, long, Tighter(long, less))
	require.Equal(t, more, Tighter(State{}, more))
}

// What a key has used counts under another plan, from the next request on, and no more than that plan's burst.
func TestAnotherPlanCountsAtOnce(t *testing.T) {
	small := &Plan{PerMinute: 10_000, PerSecond: 2, Burst: 50, PerMonth: 10_000}
	large := &Plan{PerMinute: 10_000, PerSecond: 50, Burst: 500, PerMonth: 100_000}
	account, key := ID{1}, ID{2}
	const at = 1_000_000_000_000
	usedUp := func(p *Plan) *Meter {
		m := NewMeters().Of(account)
		for range p.Burst {
			require.True(t, m.Take(key, at, p).OK)
		}
		require.False(t, m.Take(key, at, p).OK)
		return m
	}
	v := usedUp(small).Take(key, at, large)
	require.True(t, v.OK)
	require.Equal(t, State{Key, 500, 449, at + 51*20}, v.State)
	m := usedUp(large)
	require.Equal(t, int64(500), m.Take(key, at, small).Wait)
	require.Equal(t, int64(1), m.Take(key, at+499, small).Wait)
	require.True(t, m.Take(key, at+500, small).OK)
	require.False(t, m.Take(key, at+500, small).OK)
}

func TestMonthRollsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		day := 24 * time.Hour
		time.Sleep(time.Until(time.Date(2027, 12, 31, 23, 59, 59, 0, time.UTC)))
		m := NewMeters()
		p := &Plan{PerMinute: 1000, PerSecond: 1000, Burst: 1000, PerMonth: 2}
		account, one, other := ID{1}, ID{2}, ID{3}
		require.True(t, m.Of(account).Take(one, now(), p).OK)
		v := m.Of(account).Take(other, now(), p)
		require.True(t, v.OK)
		require.Equal(t, Verdict{OK: true, State: State{Key, 2, 0, now() + 1000}, Used: 2, Cap: 2}, v)
		for _, key := range []ID{one, other} {
			v = m.Of(account).Take(key, now(), p)
			require.False(t, v.OK)
			require.True(t, v.Month, "all keys of an account share its month")
			require.Equal(t, int64(1000), v.Wait)
		}
		require.True(t, m.Of(ID{9}).Take(one, now(), p).OK, "of another account")
		time.Sleep(time.Second)
		v = m.Of(account).Take(one, now(), p)
		require.True(t, v.OK)
		require.Equal(t, int64(1), v.Used)
		require.Equal(t, time.Date(2028, 2, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), v.Reset)
		// The clock goes back over the end of the year: the new month goes on.
		require.Equal(t, int64(2), m.Of(account).Take(one, now()-500, p).Used)
		time.Sleep(31*day + 28*day)
		require.Equal(t, int64(1), m.Of(account).Take(one, now(), p).Used)
		require.Equal(t, time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC).UnixMilli(),
			m.Of(account).Take(one, now(), p).Reset, "2028 has a 29th of February")
	})
}

func TestMonthOf(t *testing.T) {
	for _, at := range []time.Time{time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2025, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Unix(0, 0)} {
		m := newMonth(monthOf(at.UnixMilli()), 7)
		require.LessOrEqual(t, m.start, at.UnixMilli())
		require.Greater(t, m.end, at.UnixMilli())
		require.Equal(t, m, m.at(at.UnixMilli()))
		require.Zero(t, m.at(m.end).used)
		require.Zero(t, m.state(5).Remaining, "a smaller plan counts at once")
		require.Equal(t, m, m.at(m.start-24*60*minute))
		require.Zero(t, m.at(m.start-24*60*minute-1).used, "a clock that was ahead by more locks nobody out until then")
	}
}

// What one limit refuses is charged to none.
func TestRefusedIsNotCharged(t *testing.T) {
	m := NewMeters()
	p := &Plan{PerMinute: 3, PerSecond: 1, Burst: 2, PerMonth: 100}
	account, one, other := ID{1}, ID{2}, ID{3}
	const at = 1_000_000_000_000
	require.Equal(t, State{Key, 2, 1, at + 1000}, m.Of(account).Take(one, at, p).State, "the tightest is told")
	require.True(t, m.Of(account).Take(one, at, p).OK)
	for range 5 {
		v := m.Of(account).Take(one, at, p)
		require.Equal(t, Verdict{Wait: 1000, State: State{Key, 2, 0, at + 2000}, Used: 2, Cap: 100}, v)
	}
	require.Equal(t, State{Account, 3, 0, at + 60_000}, m.Of(account).Take(other, at, p).State)
	v := m.Of(account).Take(other, at, p)
	require.Equal(t, Verdict{Wait: 60_000, State: State{Account, 3, 0, at + 60_000}, Used: 3, Cap: 100}, v)
	require.True(t, m.Of(account).Take(other, at, nil).OK, "without a plan there are no limits")
	v = m.Of(account).Take(other, at+60_000, p)
	require.True(t, v.OK)
	require.Equal(t, int64(5), v.Used, "what a plan without limits took is counted all the same")
}

func TestChangedAndRestored(t *testing.T) {
	m := NewMeters()
	const at = 1_000_000_000_000 // in September 2001
	account, one, other := ID{1}, ID{2}, ID{3}
	require.Empty(t, m.Changed())
	m.Of(account).Take(one, at, nil)
	m.Of(account).Take(one, at+5, nil)
	m.Of(account).Take(other, at+7, nil)
	m.Of(account).Take(other, at+6, nil)
	month := int32(2001*12 + 8)
	want := []Usage{{account, month, 4, at + 7}, {one, month, 2, at + 5}, {other, month, 2, at + 7}}
	require.Equal(t, want, m.Changed())
	require.Empty(t, m.Changed())
	m.Of(account).Take(one, at+8, nil)
	require.Equal(t, []Usage{{account, month, 5, at + 8}, {one, month, 3, at + 8}}, m.Changed())
	n := NewMeters()
	for _, u := range want {
		n.Restore(account, u)
	}
	require.Empty(t, n.Changed())
	require.Equal(t, int64(at+5), n.Last(account, one))
	require.Zero(t, n.Last(account, ID{4}))
	require.Zero(t, n.Last(ID{5}, one))
	p := &Plan{PerMinute: 10, PerSecond: 10, Burst: 10, PerMonth: 5}
	require.Equal(t, int64(5), n.Of(account).Take(one, at+10, p).Used)
	require.True(t, n.Of(account).Take(one, at+10, p).Month)
	require.Equal(t, []Usage{{account, month, 5, at + 10}, {one, month, 3, at + 10}}, n.Changed())
}

func TestAddresses(t *testing.T) {
	table := NewAddresses()
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	const at = 1_000_000_000_000
	for range 2 {
		_, ok := table.Take(a, at, 10, 5)
		require.True(t, ok)
	}
	s, ok := table.Take(netip.MustParseAddr("::ffff:192.0.2.1"), at, 10, 1)
	require.False(t, ok, "the same address, written otherwise")
	require.Equal(t, State{Address, 10, 0, at + 60_000}, s)
	_, ok = table.Take(b, at, 10, 1)
	require.True(t, ok)
	table.GiveBack(a, at, 5)
	s, ok = table.Take(a, at, 10, 1)
	require.True(t, ok)
	require.Equal(t, int64(4), s.Remaining)
	table.GiveBack(a, at+60_000, 5)
	s, _ = table.Take(a, at+60_000, 10, 1)
	require.Equal(t, int64(9), s.Remaining, "nothing is given back of a window that is over")

	table.Take(netip.MustParseAddr("2001:db8:1:2::1"), at, 10, 10)
	_, ok = table.Take(netip.MustParseAddr("2001:db8:1:2:ffff::2"), at, 10, 1)
	require.False(t, ok, "one network of one customer")
	_, ok = table.Take(netip.MustParseAddr("2001:db8:1:3::1"), at, 10, 1)
	require.True(t, ok)
}

// However many addresses come by, one that has used all of its budget is remembered, and the table does not grow.
func TestAddressesAreBounded(t *testing.T) {
	table := NewAddresses()
	const at = 1_000_000_000_000
	greedy := netip.MustParseAddr("198.51.100.1")
	table.Take(greedy, at, 600, 600)
	for i := range uint32(2 * sets * ways) {
		table.Take(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), at, 600, 1)
	}
	_, ok := table.Take(greedy, at, 600, 1)
	require.False(t, ok)
	kept := 0
	for i := range table.sets {
		for _, w := range table.sets[i] {
			if w.used > 0 {
				kept++
			}
		}
	}
	require.LessOrEqual(t, kept, sets*ways)
	require.Greater(t, kept, sets*ways/2)
	_, ok = table.Take(greedy, at+60_000, 600, 1)
	require.True(t, ok)
}
