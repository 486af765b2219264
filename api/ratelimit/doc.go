// Package ratelimit owns how much may be asked: the arithmetic of budgets, and the tables of those who have one. It
// knows no request, no clock and no storage: every function takes the present, in milliseconds since the epoch.
//
//	Window     a budget a minute, of an address or an account: a fixed window, from the first request on
//	Bucket     so many a second, with a burst, of a key
//	Month      a count a calendar month in UTC, of an account
//
//	Crowd      what addresses have under way at once, in as much memory as that is
//	Addresses  the windows of addresses, in memory of a fixed size: addresses are the caller's choice
//	Meters     what is counted of accounts and keys: as many as there are keys in use
//
// A request that one limit refuses is charged to none of its account. A clock that goes back by a little gives no
// budget, and one that goes back by more locks no caller out.
package ratelimit
