package main

import (
	"fmt"
	"sync"
	"testing"
)

// TestEverySeedEndsTheSame imports a firm, by all four operations and in all its editions, from a service that plays every
// fault the sandbox knows, with one seed after the other. Runs follow each other as nights do, and what is in doubt is
// settled by looking into the service. However the faults fell, the service holds the same in the end.
//
// Two seeds are tried in the short form, 40 in the long one, or as many as DOCKETSYNC_FAULT_SEEDS says:
//
//	DOCKETSYNC_FAULT_SEEDS=200 go test ./cmd/docketsync -run TestEverySeedEndsTheSame -v -timeout 30m
func TestEverySeedEndsTheSame(t *testing.T) {
	t.Parallel()
	seeds := setting(t, "DOCKETSYNC_FAULT_SEEDS", 2, 40)
	weather := calmWeather(t, 12, 3)
	var mu sync.Mutex
	var nights, doubts, requests, records int
	t.Run("seeds", func(t *testing.T) {
		for seed := range seeds {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				f, box := calmService(t, weather.size, everyFault(uint64(seed)))
				n, d := weather.importAll(t, f, box, nil)
				state, err := box.State()
				if err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				nights, doubts, requests, records = nights+n, doubts+d, requests+int(state.Requests), records+f.sent(t)
			})
		}
	})
	t.Logf("%d seeds: %d runs, %d records sent, %d requests beyond one each, %d doubts", seeds, nights, records, requests-records, doubts)
	if doubts < seeds {
		t.Errorf("only %d doubts: the faults did not bite", doubts)
	}
}
