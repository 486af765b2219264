package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/persist"
)

// TestHabit keeps backups of a store that is written to, and restores to every kind of point.
func TestHabit(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(30)
	target := watch(NewDir(t.TempDir() + "/backups"))
	h := w.start(target, nil)
	require.ErrorContains(t, h.Fault(), "no good backup yet")
	target.until(t, marked)
	for i := range 40 {
		w.commit(5)
		if i%10 == 9 {
			target.until(t, upTo(w.store.End().Seq))
		}
	}
	end := w.store.End().Seq
	h.Close(t.Context())
	require.NoError(t, h.Fault())
	s := h.State()
	require.Equal(t, end, s.Sent)
	require.Zero(t, s.Unsent)
	require.Zero(t, s.LogFailures+s.ArchiveFailures+s.Breaks)

	p := w.holds(target, persist.Point{}, end)
	require.NotEmpty(t, p.Pieces)
	for _, seq := range []uint64{10, 30, 31, 97, end - 1, end} {
		w.holds(target, persist.AtSeq(seq), seq)
	}
	_, err := PlanFor(target, nil, persist.Point{})
	require.ErrorIs(t, err, ErrNothing)

	// A line on its own is a target, too.
	w.holds(NewDir(target.Target.(*Dir).Root+"/"+p.Line.Name), persist.Point{}, end)

	// Everything is its owner's alone.
	require.NoError(t, filepath.Walk(target.Target.(*Dir).Root, func(path string, i os.FileInfo, err error) error {
		want := os.FileMode(0o600)
		if i.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, i.Mode().Perm(), path)
		return err
	}))
}

// TestInstantOfALine restores to an instant of the line that was kept then.
func TestInstantOfALine(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(20)
	now := time.UnixMilli(w.at)
	target := watch(NewDir(t.TempDir()))
	h := w.start(target, func(o *Options) { o.Now = func() time.Time { return now } })
	target.until(t, marked)
	w.commit(20)
	target.until(t, upTo(40))
	h.Close(t.Context())
	w.holds(target, persist.AtInstant(w.instant(33)), 33)
	w.holds(target, persist.AtInstant(w.at+5000), 40)
	w.holds(target, persist.AtInstant(w.instant(7)), 7)
}

// TestMarksBehindAPoint: a restore is given the segments behind its point, those of later lines too. What was written
// while the target was away is in none.
func TestMarksBehindAPoint(t *testing.T) {
	w := newWorld(t, persist.Options{})
	target := watch(NewDir(t.TempDir()))
	w.outage(target, 0)
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	for _, at := range []persist.Point{persist.AtSeq(22), persist.AtInstant(w.instant(22))} {
		p, err := PlanFor(target, lines, at)
		require.NoError(t, err)
		var seqs []uint64
		mark := func(_ byte, _, after []byte) (m persist.Pair, err error) {
			var seq uint64
			_, err = fmt.Sscan(strings.TrimLeft(string(after), "v"), &seq)
			seqs = append(seqs, seq)
			return m, err
		}
		b, err := Restore(t.Context(), target, p,
			persist.RestoreOptions{To: t.TempDir() + "/restored", At: at, Mark: mark})
		require.NoError(t, err)
		require.Empty(t, b.Unmarked)
		for _, seq := range []uint64{23, 24, 25, 226, 230} {
			require.Contains(t, seqs, seq)
		}
		require.NotContains(t, seqs, uint64(100))
	}
}

// outage has the target take 25 records, lets 200 more be written while it takes nothing, so that the line ends, and 5
// when it is back and the store keeps the log from a record on. The habit is closed then.
func (w *world) outage(target *watched, kept uint64) (first string) {
	w.t.Helper()
	w.commit(20)
	h := w.start(target, func(o *Options) {
		o.LogMax = 20_000
		o.Now = func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return time.UnixMilli(w.at) }
	})
	target.until(w.t, marked)
	first = h.State().Line
	w.commit(5)
	target.until(w.t, upTo(25))
	target.failing(func(string) error { return errors.New("no route") })
	w.commit(200)
	require.Eventually(w.t, func() bool { return h.State().Breaks > 0 && w.store.Marker().FirstKept >= kept },
		20*time.Second, time.Millisecond)
	target.failing(nil)
	target.until(w.t, marked)
	w.commit(5)
	h.Close(w.t.Context())
	return first
}

// TestPointInAnOutage restores to what was written while the target was away: the log that is kept in the first archive
// after that has it.
func TestPointInAnOutage(t *testing.T) {
	w := newWorld(t, persist.Options{})
	target := watch(NewDir(t.TempDir()))
	first := w.outage(target, 0)
	for _, seq := range []uint64{26, 100, 224} {
		require.NotEqual(t, first, w.holds(target, persist.AtInstant(w.instant(seq)+10), seq).Line.Name)
		w.holds(target, persist.AtSeq(seq), seq)
	}
	for _, seq := range []uint64{22, 25} {
		require.Equal(t, first, w.holds(target, persist.AtSeq(seq), seq).Line.Name)
		require.Equal(t, first, w.holds(target, persist.AtInstant(w.instant(seq)), seq).Line.Name)
	}
	w.holds(target, persist.AtSeq(228), 228)
	w.holds(target, persist.AtInstant(w.instant(228)), 228)
}

// TestPointInAnOutageThatIsNotKept: where no log reaches back to an instant, what was there before it is restored, and
// it is said which records are missing. A sequence that is not at the target is refused, one that is there is not.
func TestPointInAnOutageThatIsNotKept(t *testing.T) {
	w := newWorld(t, persist.Options{KeepLog: persist.Keep{Records: 64}, FoldBytes: 100, FoldDelay: time.Millisecond})
	target := watch(NewDir(t.TempDir()))
	first := w.outage(target, 60)
	require.Equal(t, first, w.holds(target, persist.AtSeq(22), 22).Line.Name)

	restore := func(at persist.Point) (dir string, b Restored, err error) {
		lines, err := Lines(t.Context(), target)
		require.NoError(t, err)
		p, err := PlanFor(target, lines, at)
		require.NoError(t, err)
		dir = t.TempDir() + "/restored"
		b, err = Restore(t.Context(), target, p, persist.RestoreOptions{To: dir, At: at})
		return dir, b, err
	}
	dir, b, err := restore(persist.AtInstant(w.instant(50)))
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	require.EqualValues(t, 26, missing.From)
	require.Greater(t, missing.To, uint64(50))
	require.EqualValues(t, 25, b.End.Seq)
	rows, _, err := read(dir)
	require.NoError(t, err)
	require.Equal(t, w.past[25], rows)

	dir, _, err = restore(persist.AtSeq(50))
	require.ErrorIs(t, err, persist.ErrBadTarget)
	require.NoDirExists(t, dir)
}

// TestPointBetweenTheLinesOfADirectoryThatWasPutBack: the first archive of the second line has nothing of what the
// first line has behind the record that the directory was put back to.
func TestPointBetweenTheLinesOfADirectoryThatWasPutBack(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	clock := func(o *Options) {
		o.Now = func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return time.UnixMilli(w.at) }
	}
	h := w.start(target, clock)
	target.until(t, marked)
	h.Close(t.Context())
	require.NoError(t, w.store.Close())
	saved := t.TempDir() + "/copy"
	require.NoError(t, os.CopyFS(saved, os.DirFS(w.dir)))
	w.open(persist.Options{})
	h = w.start(target, clock)
	w.commit(10)
	target.until(t, upTo(20))
	h.Close(t.Context())
	require.NoError(t, w.store.Close())
	first, had, at := h.State().Line, w.past, w.at

	require.NoError(t, os.RemoveAll(w.dir))
	require.NoError(t, os.CopyFS(w.dir, os.DirFS(saved)))
	w.rows, w.past, w.at = maps.Clone(had[10]), had[:11:11], at+60_000
	w.open(persist.Options{})
	w.commit(15)
	h = w.start(target, clock)
	target.until(t, marked)
	h.Close(t.Context())
	require.NotEqual(t, first, h.State().Line)
	for _, seq := range []uint64{11, 15, 24} { // what was written before the second line was begun
		w.holds(target, persist.AtInstant(w.instant(seq)), seq)
	}
	w.holds(target, persist.AtSeq(24), 24)
	w.past = had
	for _, since := range []int64{0, 1, 60_999} {
		require.Equal(t, first, w.holds(target, persist.AtInstant(at+since), 20).Line.Name, since)
	}
	w.holds(target, persist.AtInstant(at-1), 19)
}

// TestHabitGoesOn stops and starts a server, which goes on in its line, and puts the directory back, which begins
// another.
func TestHabitGoesOn(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	h := w.start(target, nil)
	target.until(t, marked)
	w.commit(10)
	h.Close(t.Context())
	first := h.State().Line
	require.NoError(t, w.store.Close())
	saved := t.TempDir() + "/copy"
	require.NoError(t, os.CopyFS(saved, os.DirFS(w.dir)))

	w.open(persist.Options{})
	h = w.start(target, nil)
	w.commit(10)
	h.Close(t.Context())
	require.Equal(t, first, h.State().Line)
	require.Zero(t, h.State().Archives, "the last archive is young")
	require.NoError(t, w.store.Close())
	w.holds(target, persist.Point{}, 30)

	require.NoError(t, os.RemoveAll(w.dir))
	require.NoError(t, os.CopyFS(w.dir, os.DirFS(saved)))
	w.rows, w.past, w.at = w.past[20], w.past[:21:21], w.instant(20)+500
	w.open(persist.Options{})
	h = w.start(target, nil)
	target.until(t, marked)
	w.commit(3)
	h.Close(t.Context())
	require.NotEqual(t, first, h.State().Line)
	w.holds(target, persist.Point{}, 23)
}

// TestLineOfAClockThatWasAhead begins a line while the clock is a year ahead, and another one when it is right: that
// one is the newest all the same, so it stays, and is what is restored.
func TestLineOfAClockThatWasAhead(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	root := t.TempDir()
	target := watch(NewDir(root))
	now := time.UnixMilli(w.at).AddDate(1, 0, 0)
	alone := func(o *Options) { o.Keep, o.Now = 1, func() time.Time { return now } }
	h := w.start(target, alone)
	target.until(t, marked)
	w.commit(5)
	target.until(t, upTo(15))
	h.Close(t.Context())
	first := h.State().Line
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	last := lines[0].Pieces[len(lines[0].Pieces)-1]
	require.NoError(t, os.WriteFile(filepath.Join(root, last.Name), []byte("damaged"), 0o600))

	now = time.UnixMilli(w.at)
	h = w.start(target, alone)
	target.until(t, marked)
	w.commit(5)
	h.Close(t.Context())
	second := h.State().Line
	require.Greater(t, second, first)
	lines, err = Lines(t.Context(), target)
	require.NoError(t, err)
	require.Equal(t, second, lines[len(lines)-1].Name)
	require.Equal(t, second, w.holds(target, persist.Point{}, 20).Line.Name)
}

// TestArchiveOfAClockThatWasAhead: an archive of the future is no reason to wait for that. It is said that it is not
// well, and another one is made, which is the newest one from then on.
func TestArchiveOfAClockThatWasAhead(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	var now atomic.Int64
	now.Store(w.at + 1000*time.Hour.Milliseconds())
	clock := func(o *Options) { o.Now = func() time.Time { return time.UnixMilli(now.Load()) } }
	h := w.start(target, clock)
	target.until(t, marked)
	h.Close(t.Context())
	require.NoError(t, h.Fault())
	now.Store(w.at)
	require.ErrorContains(t, h.Fault(), "the clock was ahead")

	w.commit(1)
	for _, archives := range []uint64{1, 0} {
		h = w.start(target, clock)
		if archives > 0 {
			target.until(t, marked)
		} else {
			require.Eventually(t, func() bool { return h.State().Good != nil }, 20*time.Second, time.Millisecond)
		}
		h.Close(t.Context())
		require.NoError(t, h.Fault())
		require.Equal(t, archives, h.State().Archives)
	}
}

// TestDamagedMarks: an archive whose mark cannot be parsed is one that was not verified, and backups go on.
func TestDamagedMarks(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	root := t.TempDir()
	target := watch(NewDir(root))
	h := w.start(target, nil)
	target.until(t, marked)
	h.Close(t.Context())
	line := h.State().Line
	for _, bad := range []string{"", "{", `{"sequence":10}`} {
		lines, err := Lines(t.Context(), target)
		require.NoError(t, err)
		good, _ := Newest(lines)
		require.NoError(t, os.WriteFile(filepath.Join(root, good.base()+verifiedSuffix), []byte(bad), 0o600))
		lines, faults, err := ReadMarks(t.Context(), target, lines)
		require.NoError(t, err)
		require.Len(t, faults, 1)
		require.ErrorContains(t, faults[0], good.base()+verifiedSuffix)
		_, ok := Newest(lines)
		require.False(t, ok)

		w.commit(1)
		h = w.start(target, func(o *Options) { o.Keep = 1 })
		target.until(t, marked)
		target.until(t, func(name string) bool { return name == gone+good.Name })
		h.Close(t.Context())
		require.NoError(t, h.Fault())
		_, err = os.Stat(filepath.Join(root, good.base()+verifiedSuffix))
		require.ErrorIs(t, err, os.ErrNotExist)
		w.holds(target, persist.Point{}, w.store.End().Seq)
	}
	require.GreaterOrEqual(t, h.State().Line, line)
}

// TestFailingTarget lets the store go on while nothing can be put, and ends the backup line when more waits than is
// allowed.
func TestFailingTarget(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	h := w.start(target, func(o *Options) { o.LogMax = 20_000 })
	target.until(t, marked)
	first := h.State().Line

	tried := make(chan string, 10_000)
	target.failing(func(name string) error {
		tried <- name
		return errors.New("no route")
	})
	w.commit(20)
	one := <-tried
	for range 3 {
		require.Equal(t, one, <-tried, "the same segment again")
	}
	require.NotZero(t, h.State().Unsent)
	target.failing(nil)
	target.until(t, upTo(30))
	w.holds(target, persist.Point{}, 30)
	require.Zero(t, h.State().Breaks)

	target.failing(func(name string) error {
		tried <- name
		return errors.New("no route")
	})
	w.commit(200)
	for strings.HasPrefix(<-tried, first) { // until it tries another line
	}
	require.Positive(t, h.State().Breaks)
	require.ErrorContains(t, h.Fault(), "backup line was broken")
	target.failing(nil)
	target.until(t, marked)
	w.commit(5)
	h.Close(t.Context())
	require.NoError(t, h.Fault())
	require.NotEqual(t, first, h.State().Line)
	w.holds(target, persist.Point{}, 235)
	w.holds(target, persist.AtSeq(235), 235)
	// What was kept of the line before is still good.
	w.holds(NewDir(target.Target.(*Dir).Root+"/"+first), persist.AtSeq(30), 30)
}

// TestTargetThatIsGone takes the disk of a directory away for a while: nothing is put where it was, and the line goes
// on when it is back.
func TestTargetThatIsGone(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	mount := t.TempDir() + "/mount"
	target := watch(NewDir(mount + "/backups"))
	h := w.start(target, nil)
	target.until(t, marked)
	for _, gone := range []string{mount, mount + "/backups", mount + "/backups/" + h.State().Line} {
		failed, end := h.State().LogFailures, w.store.End().Seq
		require.NoError(t, os.Rename(gone, mount+".away"))
		w.commit(5)
		require.Eventually(t, func() bool { return h.State().LogFailures > failed+1 }, 10*time.Second, time.Millisecond)
		_, err := os.Stat(gone)
		require.ErrorIs(t, err, os.ErrNotExist, "it is not made again")
		require.NoError(t, os.Rename(mount+".away", gone))
		target.until(t, upTo(end+5))
	}
	h.Close(t.Context())
	require.Zero(t, h.State().Breaks)
	w.holds(target, persist.Point{}, 25)
}

// TestTargetThatIsGoneWhileNothingIsWritten is noticed, once the time that it may be out of reach is over, and so is
// that it is back.
func TestTargetThatIsGoneWhileNothingIsWritten(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	mount := t.TempDir() + "/mount"
	target := watch(NewDir(mount + "/backups"))
	var passed atomic.Int64 // seconds
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var said bytes.Buffer
	h := w.start(target, func(o *Options) {
		o.Now = func() time.Time { return began.Add(time.Duration(passed.Load()) * time.Second) }
		o.LookEvery = time.Millisecond
		o.Logger = slog.New(slog.NewTextHandler(&said, nil))
	})
	target.until(t, marked)
	well := func() bool { return h.Fault() == nil }
	await := func(is func() bool) {
		t.Helper()
		require.Eventually(t, is, 20*time.Second, time.Millisecond)
	}
	await(well)
	require.NoError(t, os.Rename(mount, mount+".away"))
	await(func() bool { h.mu.Lock(); defer h.mu.Unlock(); return h.state.unseen })
	passed.Add(59)
	require.NoError(t, h.Fault(), "it may come back")
	passed.Add(2)
	require.EqualError(t, h.Fault(), "the last good backup is not at the target any more",
		"a caller without a key is told no path")
	require.NoError(t, os.Rename(mount+".away", mount))
	await(well)

	// One that does not answer at all is no better.
	asked, hangs := make(chan struct{}, 1), make(chan struct{})
	target.failing(func(string) error { asked <- struct{}{}; <-hangs; return nil })
	<-asked
	passed.Add(30)
	require.NoError(t, h.Fault())
	passed.Add(32)
	require.ErrorContains(t, h.Fault(), "the backup target has not answered for 1m")
	target.failing(nil)
	close(hangs)
	await(well)
	h.Close(t.Context())
	require.Zero(t, h.State().LogFailures+h.State().ArchiveFailures+h.State().Breaks)
	require.Contains(t, said.String(), "cause=\""+mount, "the log says what was wrong")
}

// TestLogIsCutUnderASlowTarget: the store keeps less log than there is to put.
func TestLogIsCutUnderASlowTarget(t *testing.T) {
	w := newWorld(t, persist.Options{KeepLog: persist.Keep{Records: 64}, FoldBytes: 100, FoldDelay: time.Millisecond})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	h := w.start(target, nil)
	target.until(t, marked)
	target.failing(func(string) error { return errors.New("no route") })
	w.commit(1)
	for w.store.Marker().FirstKept < 100 {
		w.commit(50)
	}
	target.failing(nil)
	require.Eventually(t, func() bool { // the first line that is begun anew may break, too
		now := h.State()
		return now.Breaks > 0 && now.GoodLine == now.Line && now.Sent == w.store.End().Seq
	}, time.Minute, time.Millisecond)
	h.Close(t.Context())
	require.Positive(t, h.State().Breaks)
	w.holds(target, persist.Point{}, w.store.End().Seq)
}

// TestLostAnswers has every object arrive without an answer: it is found there, or another archive is made.
func TestLostAnswers(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	lost := map[string]bool{}
	target.lose = func(name string) bool {
		first := !lost[name]
		lost[name] = true
		_, full := parseFull(name)
		return first && !full
	}
	h := w.start(target, nil)
	target.until(t, marked)
	w.commit(10)
	h.Close(t.Context())
	require.Zero(t, h.State().Breaks)
	require.Positive(t, h.State().LogFailures)
	w.holds(target, persist.Point{}, 20)
}

// TestSomebodyElsePuts: another server puts a segment of the same name with other bytes. Neither writes over the
// other's.
func TestSomebodyElsePuts(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	var once bool
	target.fail = func(name string) error {
		if _, ok := parsePiece(name); ok && !once {
			once = true
			return target.Target.Put(context.Background(), name, strings.NewReader("another's"), 9)
		}
		return nil
	}
	h := w.start(target, nil)
	target.until(t, marked)
	w.commit(1)
	target.until(t, marked)
	w.commit(5)
	h.Close(t.Context())
	require.EqualValues(t, 1, h.State().Breaks)
	w.holds(target, persist.Point{}, 16)
}

// TestBadArchive: what does not open, or opens as something else, has no mark, is not chosen, and nothing is taken away
// for it.
func TestBadArchive(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	good, calls := opener(t, target), 0
	h := w.start(target, func(o *Options) {
		o.Open = func(ctx context.Context, name string) (Opened, error) {
			calls++
			got, err := good(ctx, name)
			switch calls {
			case 1:
				return got, errors.New("no memory")
			case 2:
				got.StateHash = "0000000000000001"
			case 3:
				got.Hash = "00"
			case 4:
				got.Seq++
			}
			return got, err
		}
	})
	for range 4 { // the last one goes for the one with a mark
		target.until(t, func(name string) bool { return strings.HasPrefix(name, "gone ") })
	}
	h.Close(t.Context())
	require.EqualValues(t, 4, h.State().ArchiveFailures)
	require.EqualValues(t, 1, h.State().Archives)
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	var verified []bool
	for _, f := range lines[0].Fulls {
		verified = append(verified, f.Verified)
	}
	require.Equal(t, []bool{true}, verified, "what does not count goes")

	lines[0].Fulls[0].Verified = false
	_, err = PlanFor(target, lines, persist.Point{})
	require.ErrorContains(t, err, "none of the 1 archives")
	require.Empty(t, beyond(lines, 1))
}

func TestTwoArchivesAreKeptWithWhatTheyNeed(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	target := watch(NewDir(t.TempDir()))
	for i := range 5 {
		h := w.start(target, func(o *Options) { o.Now = func() time.Time { return now } })
		target.until(t, marked)
		for i > 1 { // something goes for the third one: Close would call that off
			target.until(t, func(name string) bool { return strings.HasPrefix(name, gone) })
			lines, err := Lines(t.Context(), target)
			require.NoError(t, err)
			if len(beyond(lines, 2)) == 0 {
				break
			}
		}
		w.commit(10)
		h.Close(t.Context())
		now = now.Add(2 * time.Hour)
	}
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Len(t, lines[0].Fulls, 2)
	require.EqualValues(t, 40, lines[0].Fulls[0].Seq)
	require.Greater(t, lines[0].Pieces[0].Last, uint64(40))
	w.holds(target, persist.AtSeq(45), 45)
	w.holds(target, persist.Point{}, 60)
}

func TestWhatRetentionRemoves(t *testing.T) {
	full := func(line string, seq uint64, ok bool) Full {
		return Full{Seq: seq, Name: fmt.Sprintf("%s/%d%s", line, seq, archiveSuffix), Verified: ok}
	}
	piece := func(line string, first, last uint64) Piece {
		return Piece{First: first, Last: last, Name: fmt.Sprintf("%s/%d-%d", line, first, last)}
	}
	lines := []Line{
		{Name: "a", Fulls: []Full{full("a", 1, true), full("a", 5, false)}, Pieces: []Piece{piece("a", 2, 9)}},
		{Name: "b", Fulls: []Full{full("b", 10, true), full("b", 15, false), full("b", 20, true)},
			Pieces: []Piece{piece("b", 8, 12), piece("b", 13, 20), piece("b", 21, 22)}},
	}
	require.ElementsMatch(t, []string{"a/1.verified", "a/1.tar.zst", "a/5.tar.zst", "a/2-9", "b/10.verified",
		"b/10.tar.zst", "b/15.tar.zst", "b/8-12", "b/13-20"}, beyond(lines, 1))
	require.ElementsMatch(t, []string{"a/1.verified", "a/1.tar.zst", "a/5.tar.zst", "a/2-9", "b/15.tar.zst"},
		beyond(lines, 2))
	require.ElementsMatch(t, []string{"a/5.tar.zst", "b/15.tar.zst"}, beyond(lines, 3))
	require.Empty(t, beyond(lines[:1], 1))
	lines[1].Pieces = lines[1].Pieces[:2]
	require.NotContains(t, beyond(lines, 1), "b/13-20", "the last one says where the line goes on")
}

// TestDamagedSegments leaves nothing of a restore, and says up to where all is well.
func TestDamagedSegments(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	h := w.start(target, nil)
	target.until(t, marked)
	for range 5 {
		w.commit(10)
		target.until(t, upTo(w.store.End().Seq))
	}
	h.Close(t.Context())
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	pieces := lines[0].Pieces
	require.Greater(t, len(pieces), 3)
	path := filepath.Join(target.Target.(*Dir).Root, pieces[2].Name)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := func(says string) {
		t.Helper()
		dir := t.TempDir() + "/restored"
		lines, err := Lines(t.Context(), target)
		require.NoError(t, err)
		p, err := PlanFor(target, lines, persist.Point{})
		if err == nil {
			_, err = Restore(t.Context(), target, p, persist.RestoreOptions{To: dir})
		}
		require.ErrorContains(t, err, says)
		names, _ := os.ReadDir(dir)
		require.Empty(t, names)
		w.holds(target, persist.AtSeq(pieces[1].Last), pieces[1].Last)
	}
	upTo := fmt.Sprintf("up to record %d,", pieces[1].Last)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)-3], 0o600))
	refused(upTo)
	flipped := append([]byte{}, whole...)
	flipped[len(flipped)/2] ^= 4
	require.NoError(t, os.WriteFile(path, flipped, 0o600))
	refused(upTo)
	other, err := os.ReadFile(filepath.Join(target.Target.(*Dir).Root, pieces[0].Name))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, other, 0o600))
	refused("there is a gap")
	require.NoError(t, os.Remove(path))
	refused(fmt.Sprintf("no segment with the records %d to %d: --at %d", pieces[2].First, pieces[2].Last,
		pieces[1].Last))
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	w.holds(target, persist.Point{}, w.store.End().Seq)
}

// TestFirstSegmentIsMissing: nothing of a line may be missing behind its first good archive.
func TestFirstSegmentIsMissing(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(NewDir(t.TempDir()))
	h := w.start(target, nil)
	target.until(t, marked)
	for range 2 {
		w.commit(10)
		target.until(t, upTo(w.store.End().Seq))
	}
	h.Close(t.Context())
	check := func() error {
		lines, err := Lines(t.Context(), target)
		require.NoError(t, err)
		_, err = CheckSegments(t.Context(), target, lines[0])
		return err
	}
	require.NoError(t, check())
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	first := lines[0].Pieces[0]
	require.NoError(t, target.Target.Delete(t.Context(), first.Name))
	require.ErrorContains(t, check(), fmt.Sprintf("the records 11 to %d are missing before it", first.Last))
}

// TestGoesOnBehindTheFirstArchive: where a line has archives and no segment yet, no record between them is left out.
func TestGoesOnBehindTheFirstArchive(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	now := time.UnixMilli(w.at)
	target := watch(NewDir(t.TempDir()))
	change := func(o *Options) { o.Now = func() time.Time { return now } }
	killed, kill := context.WithCancel(t.Context())
	kill()
	for range 2 {
		h := w.start(target, change)
		target.until(t, marked)
		h.Close(killed)
		target.failing(func(name string) error {
			if _, ok := parsePiece(name); ok {
				return errors.New("no route")
			}
			return nil
		})
		w.commit(10)
		now = now.Add(2 * time.Hour)
	}
	target.failing(nil)
	h := w.start(target, func(o *Options) { change(o); o.Keep = 3 })
	target.until(t, upTo(30))
	h.Close(t.Context())
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	_, err = CheckSegments(t.Context(), target, lines[0])
	require.NoError(t, err)
	w.holds(target, persist.AtSeq(15), 15)
}

// TestTwoServersAtOneTarget: nothing is restored of the other server by mistake. A restored server that goes on at the
// target of the lost one is no such case.
func TestTwoServersAtOneTarget(t *testing.T) {
	root := t.TempDir()
	target := watch(NewDir(root))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var said bytes.Buffer
	one := func(w *world, now time.Time) string {
		h := w.start(target, func(o *Options) {
			o.Now = func() time.Time { return now }
			o.Logger = slog.New(slog.NewTextHandler(&said, nil))
		})
		target.until(t, marked)
		h.Close(t.Context())
		return h.State().Line
	}
	a := newWorld(t, persist.Options{})
	a.commit(10)
	first := one(a, at)
	b := newWorld(t, persist.Options{})
	b.commit(20)
	second := one(b, at.Add(time.Hour))
	require.NotContains(t, said.String(), "another server", "the first one has ended")
	b.holds(target, persist.Point{}, 20)

	one(a, at.Add(2*time.Hour))
	require.Contains(t, said.String(), "another server")
	require.Contains(t, said.String(), "line="+second)
	lines, err := Lines(t.Context(), target)
	require.NoError(t, err)
	for _, p := range []persist.Point{{}, persist.AtSeq(5), persist.AtInstant(at.UnixMilli())} {
		_, err = PlanFor(target, lines, p)
		require.ErrorIs(t, err, ErrSeveral)
		require.ErrorContains(t, err, root+"/"+first)
		require.ErrorContains(t, err, root+"/"+second)
	}
	a.holds(NewDir(root+"/"+first), persist.Point{}, 10)
	b.holds(NewDir(root+"/"+second), persist.Point{}, 20)
}

// TestWhatAKilledFirstArchiveLeaves is taken away, and nothing of another incarnation.
func TestWhatAKilledFirstArchiveLeaves(t *testing.T) {
	w := newWorld(t, persist.Options{})
	w.commit(10)
	root := t.TempDir()
	leave := func(incarnation uint64) string {
		dir := filepath.Join(root, lineName(w.at, incarnation))
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, partPrefix+"1"), []byte("half"), 0o600))
		return dir
	}
	own, other := leave(w.store.Incarnation()), leave(w.store.Incarnation()+1)
	target := watch(NewDir(root))
	h := w.start(target, nil)
	target.until(t, marked)
	h.Close(t.Context())
	require.NoDirExists(t, own)
	require.FileExists(t, filepath.Join(other, partPrefix+"1"))
	w.holds(target, persist.Point{}, 10)
}

// large is a target whose every object has so many bytes.
type large struct {
	Target
	bytes int
	gets  atomic.Int64
}

func (l *large) Get(context.Context, string) (io.ReadCloser, error) {
	l.gets.Add(1)
	return io.NopCloser(bytes.NewReader(make([]byte, l.bytes))), nil
}

// TestReadingAhead is bounded by pieces, and by bytes.
func TestReadingAhead(t *testing.T) {
	const bytes = 400
	for size, most := range map[int]int64{bytes / ahead: ahead, bytes / 4: 4, bytes + 1: 1} {
		target := &large{bytes: size}
		pieces := make([]Piece, 100)
		for i := range pieces {
			pieces[i].Size = int64(size)
		}
		if most < ahead {
			pieces = pieces[:most+2]
		}
		for i, f := range segments(t.Context(), target, pieces, bytes) {
			r, err := f.Open(t.Context())
			require.NoError(t, err)
			n, err := io.Copy(io.Discard, r)
			require.NoError(t, err)
			require.EqualValues(t, size, n)
			require.LessOrEqual(t, target.gets.Load(), int64(i)+1+most)
		}
		require.EqualValues(t, len(pieces), target.gets.Load(), "each once")
	}
}

func TestNamesOfObjectsAreRead(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC).UnixMilli()
	line := lineName(at, 0xabc)
	require.Equal(t, "20260203T040506.789Z-0000000000000abc", line)
	l, ok := parseLine(line)
	require.True(t, ok)
	require.Equal(t, Line{Name: line, Begun: at, Incarnation: 0xabc}, l)
	f, ok := parseFull(fullName(line, 12, at, at+5))
	require.True(t, ok)
	require.Equal(t, Full{Seq: 12, At: at, Made: at + 5, Name: fullName(line, 12, at, at+5)}, f)
	p, ok := parsePiece(pieceName(line, 3, 4, at))
	require.True(t, ok)
	require.Equal(t, Piece{First: 3, Last: 4, At: at, Name: pieceName(line, 3, 4, at)}, p)
	for _, bad := range []string{
		"", "x", "full-1-2-3.tar.zst", "full-00000000000000000012-20260203T040506.789Z.tar.zst",
		pieceName(line, 4, 3, at), fullName(line, 1, at, at) + verifiedSuffix,
		strings.ReplaceAll(fullName(line, 1, at, at), "T", "t"),
		"log-" + strings.Repeat("9", 20) + "-" + strings.Repeat("9", 20) + "-20260203T040506.789Z.zst",
	} {
		_, full := parseFull(bad)
		_, piece := parsePiece(bad)
		_, line := parseLine(bad)
		require.False(t, full || piece || line, bad)
	}
}

func TestDir(t *testing.T) { testTarget(t, NewDir(t.TempDir()+"/new/root")) }

// testTarget is what every target has to do.
func testTarget(t *testing.T, d Target) {
	ctx := t.Context()
	list, err := d.List(ctx, "")
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, d.Put(ctx, "a/one", strings.NewReader("1"), 1))
	require.NoError(t, d.Put(ctx, "a/two", strings.NewReader("22"), -1))
	require.NoError(t, d.Put(ctx, "b/one", strings.NewReader(""), 0))
	require.ErrorIs(t, d.Put(ctx, "a/one", strings.NewReader("2"), 1), ErrExists)
	require.ErrorIs(t, d.Put(ctx, "a/one", strings.NewReader("2"), -1), ErrExists)
	bad := errors.New("the source fails")
	require.ErrorIs(t, d.Put(ctx, "a/three", &broken{strings.NewReader("333"), bad}, -1), bad)
	list, err = d.List(ctx, "")
	require.NoError(t, err)
	require.Equal(t, []Object{{"a/one", 1}, {"a/two", 2}, {"b/one", 0}}, list)
	list, err = d.List(ctx, "a/t")
	require.NoError(t, err)
	require.Equal(t, []Object{{"a/two", 2}}, list)
	b, err := readAll(ctx, d, "a/one", 1)
	require.NoError(t, err)
	require.Equal(t, "1", string(b))
	_, err = readAll(ctx, d, "a/three", 1)
	require.ErrorIs(t, err, ErrMissing)
	require.NoError(t, d.Clean(ctx, func(line string) bool { return line == "a" }))
	require.NoError(t, d.Delete(ctx, "a/one"))
	require.NoError(t, d.Delete(ctx, "a/one"))
	require.NoError(t, d.Delete(ctx, "b/one"))
	list, err = d.List(ctx, "")
	require.NoError(t, err)
	require.Equal(t, []Object{{"a/two", 2}}, list)
}

// broken yields something and then fails.
type broken struct {
	r   *strings.Reader
	err error
}

func (b *broken) Read(p []byte) (int, error) {
	if b.r.Len() == 0 {
		return 0, b.err
	}
	return b.r.Read(p)
}
