package base

import (
	"encoding/json"
	"reflect"
	"unsafe"
)

// This file owns rows made up for a kind: one that says nothing, and one that says something in every field.

// Example writes a row of the kind that has nothing in it, or something in every field, and says what it weighs.
func (k *Kind[R]) Example(full bool) (row []byte, weight int) {
	r := new(R)
	if full {
		new(filler).fill(reflect.ValueOf(r).Elem(), 0)
	}
	return k.Encode(nil, r), frameWeight + k.weight(r)
}

// fillDepth is how deep rows go into each other where a type has itself as a part.
const fillDepth = 10

// filler puts something into values. Numbers of 64 bits are never the same, and rows of bytes not among 255 of them, so
// that a row shows which is which.
type filler struct{ n int }

// fill puts something into a value and all that is in it, also into unexported fields: the content need not make sense.
func (f *filler) fill(v reflect.Value, depth int) {
	if depth > fillDepth {
		return
	}
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		f.n++
		v.SetInt(int64(f.n))
	case reflect.Uint64:
		f.n++
		v.SetUint(uint64(f.n))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1.5e-7)
	case reflect.String:
		v.SetString("<é&\u2028\x7f>")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`"<é>"`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), depth+1)
	case reflect.Array:
		f.n++
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() == reflect.Uint8 {
				e.SetUint(uint64(uint8(f.n)))
			} else {
				f.fill(e, depth+1)
			}
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth+1)
		f.fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
		}
	}
}
