package timeline

import "iter"

// This file owns ByID: the ordered set of tree.go for the rows of others that are many and small.

// ByID is an ordered map from ids to rows without pointers. As new ids only grow, its nodes are full: a row costs its
// size and the id's 16 bytes, and hardly more. The zero value is not usable: take NewByID. Publish, Put and Delete are
// for one writer; a published copy may be read by anyone.
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

// Section is neighbouring rows of a ByID: those of the leaves under one node, some 2,000 at most.
type Section[V any] struct {
	of     *idNode[V]
	frozen bool // no owner may change it in place
}

// idNode is a node of a ByID.
type idNode[V any] = node[key, V, int32, number[key, V]]

// Sections yields all rows by sections, in id order, or backward.
func (m *ByID[V]) Sections(backward bool) iter.Seq[Section[V]] {
	return func(yield func(Section[V]) bool) {
		if m.rows.root != nil {
			eachSection(m.rows.root, backward,
				func(of *idNode[V]) bool { return yield(Section[V]{of, of.edit != m.edit}) })
		}
	}
}

func eachSection[V any](n *idNode[V], backward bool, visit func(of *idNode[V]) bool) bool {
	if n.in == nil || n.in.kids[0].in == nil {
		return visit(n)
	}
	kids := n.kids()
	for i := range kids {
		if backward {
			i = len(kids) - 1 - i
		}
		if !eachSection(kids[i], backward, visit) {
			return false
		}
	}
	return true
}

// Len is how many rows it has.
func (s Section[V]) Len() int { return int(s.of.sum()) }

// At is the row at a place in it, to be read only.
func (s Section[V]) At(place int) (ID, *V) {
	n := s.of
	if n.in != nil {
		i := 0
		for ; place >= int(n.in.sums[i]); i++ {
			place -= int(n.in.sums[i])
		}
		n = n.in.kids[i]
	}
	return n.keys[place].id(), &n.vals[place]
}

// All yields its rows in id order, to be read only.
func (s Section[V]) All() iter.Seq2[ID, *V] {
	return func(yield func(ID, *V) bool) {
		s.of.all(func(keys []key, vals []V) bool {
			for i, k := range keys {
				if !yield(k.id(), &vals[i]) {
					return false
				}
			}
			return true
		})
	}
}

// Memo is the last note that a reader made about exactly these rows; nil: there is none.
func (s Section[V]) Memo() any {
	if s.frozen {
		if memo := s.of.memo.Load(); memo != nil {
			return *memo
		}
	}
	return nil
}

// Note keeps what a reader derived of just these rows for those that come after it, in this version and in later
// ones, until one of the rows changes. Any goroutine may call it. It does nothing where the owner of the ByID may
// still change them.
func (s Section[V]) Note(memo any) {
	if s.frozen {
		s.of.memo.Store(&memo)
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
