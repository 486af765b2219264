package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"holdfast/api"
	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns the world that is measured: a data set in an engine on a directory of its own.

// World is a data set in an open engine. Only one goroutine may use it, except for what Engine allows.
type World struct {
	*dataset.Set
	*dataset.Merchant
	Engine *engine.Engine
	Loaded struct { // how the data set came in; zero where it was copied
		Commands int
		Took     time.Duration
	}
	soldOut [2]*SoldOut // as SoldOut gives them
	dir     string
	store   *persist.Store
	began   time.Time // of the world's clock, which starts at Epoch or where a copied world's stopped
}

// Build makes a world: it sets the merchant up, books every hold with a command of its own, and opens the directory
// again, so that what is measured is what a restarted server has. The directory is a temporary one and goes with Close.
//
// Where the environment variable BENCH_DATA names a directory, what was built is kept there and copied by later runs.
func Build(scale float64, progress func(string)) (*World, error) {
	w, err := empty(scale)
	if err != nil {
		return nil, err
	}
	if err := w.build(scale, progress); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// empty is a world without a merchant.
func empty(scale float64) (*World, error) {
	set, err := dataset.New(scale)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "holdfast-bench-*")
	if err != nil {
		return nil, err
	}
	w := &World{Set: set, dir: dir, began: time.Now()}
	if err := w.open(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *World) build(scale float64, progress func(string)) error {
	kept := ""
	if data := os.Getenv("BENCH_DATA"); data != "" {
		kept = filepath.Join(data, fmt.Sprintf("scale-%g", scale))
		if _, err := os.Stat(kept); err == nil {
			progress("copying " + kept)
			if err := errors.Join(w.shut(), os.RemoveAll(w.dir)); err != nil {
				return err
			}
			if err := os.CopyFS(w.dir, os.DirFS(kept)); err != nil {
				return err
			}
			if err := w.open(); err != nil {
				return err
			}
			w.Merchant = w.FindMerchant(w.Engine)
			return nil
		}
	}
	if err := w.load(progress); err != nil {
		return err
	}
	if kept != "" {
		progress("keeping it as " + kept)
		if err := errors.Join(w.shut(), os.MkdirAll(filepath.Dir(kept), 0o700),
			os.CopyFS(kept, os.DirFS(w.dir))); err != nil {
			return err
		}
	}
	progress("opening it again")
	return w.Reopen()
}

func (w *World) load(progress func(string)) (err error) {
	progress(fmt.Sprintf("loading %d articles of %d SKUs", len(w.Set.Articles), w.Set.SKUs))
	if w.Merchant, err = w.CreateMerchant(w.Engine); err != nil {
		return err
	}
	progress(fmt.Sprintf("booking %d holds", w.Target))
	w.Loaded.Commands = w.Target
	w.Loaded.Took, err = w.Book(w.Engine, w.Merchant, w.Target)
	return err
}

// Now is the world's clock: it starts at the beginning of the data set, or where the clock of a copied world stopped,
// and runs with the wall clock.
func (w *World) Now() int64 { return dataset.Epoch + time.Since(w.began).Milliseconds() }

func (w *World) open() (err error) {
	if w.store, err = persist.Open(persist.Options{Dir: w.dir}); err != nil {
		return err
	}
	if behind := w.store.End().At - w.Now(); behind > 0 { // a copy is from a world whose clock had run on
		w.began = w.began.Add(-time.Duration(behind) * time.Millisecond)
	}
	w.Engine, err = engine.Open(context.Background(), engine.Options{
		Store: w.store, Now: w.Now, Payload: api.EventPayload,
		Random: func() (b [10]byte) {
			rand.Read(b[:])
			return b
		},
	})
	return err
}

// heap opens the world again and gives the live heap that its engine takes then. That is what is free once the engine
// is closed and the store is not yet, whose caches are in the same heap.
func (w *World) heap() (bytes int64, err error) {
	if err := errors.Join(w.shut(), w.open()); err != nil {
		return 0, err
	}
	bytes = Heap()
	err = w.Engine.Close()
	w.Engine = nil
	bytes -= Heap()
	return bytes, errors.Join(err, w.shut(), w.open())
}

// shut closes engine and store, as far as they are open.
func (w *World) shut() (err error) {
	if w.Engine != nil {
		err = w.Engine.Close()
		w.Engine = nil
	}
	if w.store != nil {
		err = errors.Join(err, w.store.Close())
		w.store = nil
	}
	return err
}

// Settle waits until what was written is folded into rows, at most for ten seconds, so that a figure does not pay for
// the one before it.
func (w *World) Settle() {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if s := w.store.Stats(); s.Folded == s.Published {
			return
		}
	}
}

// Reopen closes the engine and opens it from disk.
func (w *World) Reopen() error { return errors.Join(w.shut(), w.open()) }

// Close ends the world and removes its directory.
func (w *World) Close() error { return errors.Join(w.shut(), os.RemoveAll(w.dir)) }

// View is the account as it is.
func (w *World) View() base.View {
	v, ok := w.Engine.View(w.Account)
	if !ok {
		panic("bench: the account is gone")
	}
	return v
}
