package base

// This file owns shelves: room in a plan, or in a loader, for what domains note there.

// shelf has a place for each thing that was registered. It is an array, as every plan has one.
type shelf [shelfSize]any

const shelfSize = 8

// placeOf is a place on every shelf, for one T.
type placeOf[T any] struct{ no int }

var placesTaken int

// RegisterPlace makes a place on every shelf.
func RegisterPlace[T any]() placeOf[T] {
	if placesTaken++; placesTaken > shelfSize {
		panic("engine: a shelf has too few places")
	}
	return placeOf[T]{placesTaken - 1}
}

// On is what lies in the place on a shelf; it is made when it is first asked for.
func (p placeOf[T]) On(s *shelf) *T {
	x, ok := s[p.no].(*T)
	if !ok {
		x = new(T)
		s[p.no] = x
	}
	return x
}

// Made says that something lies in the place.
func (p placeOf[T]) Made(s *shelf) bool { return s[p.no] != nil }
