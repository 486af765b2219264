// Package console is the page for the merchant's staff: plain ES modules in app, the packages that they are built on in
// lib, and where a browser finds them. This package knows nothing of the interface: the page asks for all that it shows
// by the same operations as any other client, with a key.
//
// No step builds it: what lies here is what is served. `make console` fetches lib again (gen). Types stand in comments
// of the modules, as JSDoc.
//
//	main.js       the shell: who is signed in, which view, live changes
//	api.js        requests, refusals, the feed of changes, ids of keys
//	store.js      what all views know: account, places, SKUs, the sequence that is shown
//	route.js      the state of a view in the address
//	time.js       instants, days and zones, as people read them
//	ui.js         the parts that views are made of, which templates name as tags (base.js)
//	*view.js      one view each
package console
