// Package load measures the service over HTTP: the whole server on a loopback port, with clients in the same process
// and so on the same cores.
//
//	load.go     what is measured
//	list.go     the list of articles
//	bulk.go     10,000 windows in one call
//	orders.go   orders
//	soldout.go  bookings of stock that is sold out
//	backups.go  bookings while an archive is made, and while the log is sent
//	guards.go   what it costs to know who sends a request, and that the key allows it
//	alone.go    what one client waits, and the mix of many
//	hooks.go    deliveries of webhooks, and bookings at the same time
//	site.go     the endpoint that they are sent to
//	client.go   the clients: keep-alive connections that ask one after the other
//	server.go   the server on a world, and the empty one that it is compared with
package load
