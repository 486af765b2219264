package base

// This file owns postal addresses.

// Address is a postal address; every part may be empty.
type Address struct {
	Address string `field:"address text 0..255" about:"Street and number."`
	ZipCode string `field:"zipCode text 0..255" about:"Postal code."`
	City    string `field:"city text 0..255" about:"City or town."`
	Country string `field:"country text 0..255" about:"Country, such as its two-letter code."`
	State   string `field:"state text 0..255" about:"State or region."`
	Details string `field:"details text 0..255" about:"Floor, door, or what else helps to find it."`
}
