package dataset

import "math/bits"

// This file owns chance: a generator whose numbers are fixed by its seed for good.

// Rand is splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). The zero value is
// ready.
type Rand uint64

// Uint64 is the next number.
func (r *Rand) Uint64() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below is a number from 0 to n-1. The error by rounding is below n/2^64.
func (r *Rand) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(r.Uint64(), n)
	return hi
}

// Int is Below for ints, n > 0.
func (r *Rand) Int(n int) int { return int(r.Below(uint64(n))) }

// zipf draws ranks 0 to n-1 with a probability proportional to 1/(rank+1).
type zipf []uint64 // sums of weights

func newZipf(n int) zipf {
	z := make(zipf, n)
	sum := uint64(0)
	for i := range z {
		sum += 1 << 40 / uint64(i+1)
		z[i] = sum
	}
	return z
}

func (z zipf) draw(r *Rand) int {
	x := r.Below(z[len(z)-1])
	lo, hi := 0, len(z)-1
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); x < z[mid] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
