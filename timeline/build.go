package timeline

// This file owns dense trees: built from sorted items, with full leaves, in time that is linear.

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// treeBuilder is a tree in the making: leaves are full but the last, their items are still to be filled in, in any
// order and by several goroutines.
type treeBuilder[K sorter[K], V any, S comparable, A summer[K, V, S]] struct {
	edit   *token
	n      int
	leaves []*node[K, V, S, A]
}

func newBuilder[K sorter[K], V any, S comparable, A summer[K, V, S]](edit *token, n int) *treeBuilder[K, V, S, A] {
	b := &treeBuilder[K, V, S, A]{edit: edit, n: n}
	b.leaves = make([]*node[K, V, S, A], 0, (n+leafMax-1)/leafMax)
	for ; n > 0; n -= leafMax {
		m := min(n, leafMax)
		b.leaves = append(b.leaves, &node[K, V, S, A]{edit: edit, keys: make([]K, m), vals: make([]V, m)})
	}
	return b
}

// put fills in item i.
func (b *treeBuilder[K, V, S, A]) put(i int, k K, v V) {
	leaf := b.leaves[i/leafMax]
	leaf.keys[i%leafMax], leaf.vals[i%leafMax] = k, v
}

// add appends an item after the last; n was 0 at the beginning.
func (b *treeBuilder[K, V, S, A]) add(k K, v V) {
	if b.n%leafMax == 0 {
		b.leaves = append(b.leaves,
			&node[K, V, S, A]{edit: b.edit, keys: make([]K, 0, leafMax), vals: make([]V, 0, leafMax)})
	}
	leaf := b.leaves[len(b.leaves)-1]
	leaf.keys, leaf.vals = append(leaf.keys, k), append(leaf.vals, v)
	b.n++
}

// tree is the tree of all items that were added. ok is false if they are not in order.
func (b *treeBuilder[K, V, S, A]) tree() (t sumTree[K, V, S, A], ok bool) {
	t.n = b.n
	if b.n == 0 {
		return t, true
	}
	for i, leaf := range b.leaves {
		for j := range leaf.keys {
			if j > 0 && !ordered(leaf.keys[j-1], leaf.keys[j:j+1]) {
				return t, false
			}
		}
		if i > 0 && !ordered(b.leaves[i-1].keys[leafMax-1], leaf.keys[:1]) {
			return t, false
		}
	}
	level := b.leaves
	for len(level) > 1 {
		above := make([]*node[K, V, S, A], 0, (len(level)+innerMax-1)/innerMax)
		for len(level) > 0 {
			m := min(len(level), innerMax)
			above = append(above, newInner(b.edit, level[:m]))
			level = level[m:]
		}
		level = above
	}
	t.root = level[0]
	return t, true
}

// ordered says that k comes before the only key of run.
func ordered[K sorter[K]](k K, run []K) bool { return k != run[0] && k.search(run) == 0 }

// build is the tree of n items in order.
func build[K sorter[K], V any, S comparable, A summer[K, V, S]](edit *token, n int,
	item func(int) (K, V)) (t sumTree[K, V, S, A], ok bool) {
	b := newBuilder[K, V, S, A](edit, n)
	for i := range n {
		k, v := item(i)
		b.put(i, k, v)
	}
	return b.tree()
}

// parallel calls do for 0 to n-1, on as many goroutines as there are processors, and waits for all. The calls must not
// care about their order.
func parallel(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
