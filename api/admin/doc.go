// Package admin is the operator's listener: metrics, profiles, backup, and the calls that look after accounts and keys.
//
// It asks for no key: it is a socket of the operator's own, or takes a token. It refuses what a browser on the same
// machine could be made to send. What the calls do is given to it as a handler, so that it knows neither the interface
// nor the engine: it imports what serves metrics, and nothing of the project.
package admin
