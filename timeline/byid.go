package timeline

import "iter"

// This file owns ByID: the ordered set of tree.go for the rows of others that are many and small.

// ByID is an ordered map from ids to rows without pointers. As new ids only grow, its nodes are full: a row costs its size
// and the id's 16 bytes, and hardly more. The zero value is not usable: take NewByID. Publish, Put and Delete are for one
// writer; a published copy may be read by anyone.
type ByID[V any] struct {
	edit *token
	rows countedTree[key, V]
}

// NewByID makes an empty map.
func NewByID[V any]() *ByID[V] { return &ByID[V]{edit: newToken()} }

// Publish gives a copy that never changes, in constant time.
func (m *ByID[V]) Publish() *ByID[V] {
	m.edit = m.edit.next()
	return &ByID[V]{rows: m.rows}
}

// Len is the number of rows.
func (m *ByID[V]) Len() int { return m.rows.len() }

// Get returns the row of an id.
func (m *ByID[V]) Get(id ID) (V, bool) { return m.rows.get(id.key()) }

// Put stores the row of an id in place of what was there.
func (m *ByID[V]) Put(id ID, v V) { m.rows.set(m.edit, id.key(), v) }

// Delete removes the row of an id.
func (m *ByID[V]) Delete(id ID) { m.rows.del(m.edit, id.key()) }

// From yields ids and rows in id order, from the first id that is not before from.
func (m *ByID[V]) From(from ID) iter.Seq2[ID, V] {
	return func(yield func(ID, V) bool) {
		first := from.key()
		m.rows.scan(first, func(keys []key, vals []V) bool {
			for i, k := range keys {
				if !k.before(first) && !yield(k.id(), vals[i]) {
					return false
				}
			}
			return true
		})
	}
}

// FromPlace yields ids and rows in id order, from that on that has so many before it.
func (m *ByID[V]) FromPlace(place int) iter.Seq2[ID, V] {
	return func(yield func(ID, V) bool) {
		if place >= m.rows.len() {
			return
		}
		ahead(m.rows.root, place, func(keys []key, vals []V) bool {
			for i, k := range keys {
				if !yield(k.id(), vals[i]) {
					return false
				}
			}
			return true
		})
	}
}

// ByIDLoader makes a ByID of rows that come in id order. One goroutine uses it, once.
type ByIDLoader[V any] struct {
	rows treeBuilder[key, V, int32, number[key, V]]
}

// NewByIDLoader makes an empty loader.
func NewByIDLoader[V any]() *ByIDLoader[V] {
	l := new(ByIDLoader[V])
	l.rows.edit = newToken()
	return l
}

// Add appends a row; its id comes after those before it.
func (l *ByIDLoader[V]) Add(id ID, v V) { l.rows.add(id.key(), v) }

// Finish makes the map; ok is false where the rows did not come in order.
func (l *ByIDLoader[V]) Finish() (m *ByID[V], ok bool) {
	m = &ByID[V]{edit: l.rows.edit}
	m.rows, ok = l.rows.tree()
	return m, ok
}
