// Package auth owns what an API key's text and scopes mean. It knows no request and no storage: the state keeps a key's
// record, the chain of the api asks here.
//
// A key is hf_<id>_<secret>: id is 8 to 32 and secret 32 to 64 letters and digits. A scope is an area and a mode,
// inventory.skus.read; an area covers everything below it, and write includes read.
package auth
