package engine

// This file owns shelves: room in a plan, or in a loader, for what domains note there.

// shelf has a place for each thing that was registered.
type shelf []any

// placeOf is a place on every shelf, for one T.
type placeOf[T any] struct{ no int }

var placesOnShelf int

// registerPlace makes a place on every shelf.
func registerPlace[T any]() placeOf[T] {
	placesOnShelf++
	return placeOf[T]{placesOnShelf - 1}
}

// on is what lies in the place on a shelf; it is made when it is first asked for.
func (p placeOf[T]) on(s *shelf) *T {
	if *s == nil {
		*s = make(shelf, placesOnShelf)
	}
	x, ok := (*s)[p.no].(*T)
	if !ok {
		x = new(T)
		(*s)[p.no] = x
	}
	return x
}

// made says that something lies in the place.
func (p placeOf[T]) made(s shelf) bool { return s != nil && s[p.no] != nil }
