package cluster

import "testing"

// TestEveryNodeFindsAShard has runs cut into parts that are many enough for the nodes, and neither few nor many records each.
func TestEveryNodeFindsAShard(t *testing.T) {
	t.Parallel()
	for planned, want := range map[int]int{1: 250, 250: 250, 1900: 250, 3750: 250, 16_000: 1000, 32_000: 2000, 1_000_000: 2000} {
		if got := sizeOf(planned, shardSize); got != want {
			t.Errorf("of %d records each shard has %d", planned, got)
		}
	}
	if got := sizeOf(900, 100); got != 100 {
		t.Errorf("a shard of up to 100 records has %d", got)
	}
}
