// Command fair prints what another account waits for its bookings and reads while one account takes what it can get,
// beside what it waits on an idle server in the same run: go run ./bench/fair. The server, the loads and the one that
// waits are processes of their own, on the same cores.
package main
