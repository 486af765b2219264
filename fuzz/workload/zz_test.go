package workload

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"holdfast/fuzz/model"
)

// This file owns hunting.

func TestHunt(t *testing.T) {
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	to, _ := strconv.Atoi(os.Getenv("TO"))
	var seen model.Tally
	bad := 0
	for s := from; s < to; s++ {
		func() {
			defer func() {
				if r := recover(); r != nil {
					bad++
					fmt.Println("SEED", s, "PANIC", r)
					if to == from+1 {
						panic(r)
					}
				}
			}()
			if err := orderWorld(uint64(s), &seen); err != nil {
				bad++
				e := err.Error()
				if k := strings.Index(e, "} at 17"); k > 0 && to > from+1 {
					e = e[:60] + e[k:]
				}
				if to > from+1 {
					e = e[:min(len(e), 1500)]
				}
				fmt.Println("SEED", s, e)
			}
		}()
	}
	fmt.Printf("%d bad of %d %+v\n", bad, to-from, seen)
}
