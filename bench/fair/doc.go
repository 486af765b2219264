// Command fair prints how long an account waits for its bookings and reads while another account takes all that it can
// get, and, next to that, how long it waits on an idle server in the same run: go run ./bench/fair. The server, the
// loads and the one that waits are processes of their own, on the same cores.
package main
