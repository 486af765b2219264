// Package admin is the operator's listener: metrics, profiles, backup, and the calls that look after accounts and keys.
//
// It asks for no key: it is a socket of the operator's own, or takes a token. It refuses requests that a browser on the
// same machine could be made to send. The work of the calls is given to it as a handler, so that it knows neither the
// interface nor the engine: it imports packages that serve metrics, and nothing of the project.
package admin
