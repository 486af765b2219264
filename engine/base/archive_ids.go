package base

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"reflect"
	"sync"
	"unsafe"
)

// This file owns the other ids that the records of an archive get if they do not keep their own: all are moved by one
// distance, so that they stay in their order, units after their holds, and each at the instant of its creation. A field
// with the tag ids:"foreign" has the id of something of another system, which stays as it is.

// IDShift is the distance, modulo 2^74, that ids are moved by in their random part. The zero IDShift leaves them as
// they are.
type IDShift struct{ By Base }

var shiftRange = new(big.Int).Lsh(big.NewInt(1), 74)

// shiftMargin is kept free at both ends of the range for ids inside of rows: they are close to those of rows.
var shiftMargin = new(big.Int).Lsh(big.NewInt(1), 40)

// ShiftOf draws a distance for ids with random parts from least to most, by a seed: towards the end where there is more
// room.
func ShiftOf(least, most Base, seed []byte) IDShift {
	up := new(big.Int).Sub(shiftRange, most.big())
	room, down := up, least.big()
	if down.Cmp(up) > 0 {
		room = down
	}
	if room.Sub(room, shiftMargin).Sign() <= 0 {
		room = shiftRange // ids from end to end: some of one instant change their order
	}
	sum := sha256.Sum256(seed)
	by := new(big.Int).Mod(new(big.Int).SetBytes(sum[:]), room)
	by.Add(by, big.NewInt(1))
	if down.Cmp(up) > 0 {
		by.Sub(shiftRange, by)
	}
	return IDShift{baseOfBig(by)}
}

func (b Base) big() *big.Int {
	n := new(big.Int).Lsh(new(big.Int).SetUint64(b.Hi), LowBits)
	return n.Or(n, new(big.Int).SetUint64(b.Lo))
}

func baseOfBig(n *big.Int) Base {
	low := new(big.Int).And(n, new(big.Int).SetUint64(1<<LowBits-1))
	return Base{Hi: new(big.Int).Rsh(n, LowBits).Uint64() & 0x0fff, Lo: low.Uint64()}
}

// Of is the id that an id becomes. The nil id and the one of all ones stay.
func (s IDShift) Of(id ID) ID {
	if id == (ID{}) || id == MaxID {
		return id
	}
	_, b := SplitID(id)
	lo := b.Lo + s.By.Lo
	b = Base{Hi: (b.Hi + s.By.Hi + lo>>LowBits) & 0x0fff, Lo: lo & (1<<LowBits - 1)}
	n := MakeID(0, b)
	copy(n[:6], id[:6])
	n[6] = id[6]&0xf0 | n[6]&0x0f
	n[8] = id[8]&0xc0 | n[8]&0x3f
	return n
}

var MaxID = func() (id ID) {
	for i := range id {
		id[i] = 0xff
	}
	return id
}()

// String is the distance as ParseIDShift reads it.
func (s IDShift) String() string { return fmt.Sprintf("%020x", s.By.big()) }

// ParseIDShift reads what String wrote.
func ParseIDShift(text string) (IDShift, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != 10 || b[0] > 3 {
		return IDShift{}, fmt.Errorf("%q is no distance of ids", text)
	}
	return IDShift{baseOfBig(new(big.Int).SetBytes(b))}, nil
}

// Moved gives a stored row other ids: its own, and all that it names.
func (k *Kind[R]) Moved(account ID, x Image, s IDShift) (Image, error) {
	r, err := k.Decode(account, x.ID, x.Value)
	if err != nil {
		return x, err
	}
	moveIDs(reflect.ValueOf(r).Elem(), s)
	return Image{k.Tag, k.Key(r), k.Encode(nil, r)}, nil
}

var typeOfID = reflect.TypeFor[ID]()

// moveIDs moves every id in a value, also those in unexported fields.
func moveIDs(v reflect.Value, s IDShift) {
	if !hasIDs(v.Type()) {
		return
	}
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Array, reflect.Slice:
		if v.Type() == typeOfID {
			v.Set(reflect.ValueOf(s.Of(v.Interface().(ID))))
			return
		}
		for i := range v.Len() {
			moveIDs(v.Index(i), s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			moveIDs(v.Elem(), s)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !foreign(v.Type().Field(i)) {
				moveIDs(v.Field(i), s)
			}
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		moved := reflect.MakeMapWithSize(v.Type(), v.Len())
		for i := v.MapRange(); i.Next(); {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.Set(i.Key())
			value.Set(i.Value())
			moveIDs(key, s)
			moveIDs(value, s)
			moved.SetMapIndex(key, value)
		}
		v.Set(moved)
	}
}

// foreign says that the ids in a field are not of records here.
func foreign(f reflect.StructField) bool { return f.Tag.Get("ids") == "foreign" }

var idTypes sync.Map // whether a type has ids in it

// hasIDs says whether values of a type have ids in them. A type that has itself as a part has, where anything else in
// it has.
func hasIDs(t reflect.Type) bool {
	if has, known := idTypes.Load(t); known {
		return has.(bool)
	}
	has := idsIn(t, map[reflect.Type]bool{})
	idTypes.Store(t, has)
	return has
}

func idsIn(t reflect.Type, met map[reflect.Type]bool) bool {
	if t == typeOfID {
		return true
	}
	if met[t] {
		return false
	}
	met[t] = true
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.Pointer:
		return idsIn(t.Elem(), met)
	case reflect.Map:
		return idsIn(t.Key(), met) || idsIn(t.Elem(), met)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !foreign(f) && idsIn(f.Type, met) {
				return true
			}
		}
	}
	return false
}
