package plan

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/mapping"
)

// TestSieveFindsWhatIsSpread puts in more than stays in memory, with pairs at its two ends and keys of earlier runs.
func TestSieveFindsWhatIsSpread(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	const n = 200_000
	s := &duplicateIndex{}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	sum := func(check string, n int) mapping.Trait {
		return mapping.Trait{Check: check, Sum: uint64(n) * 0x9e3779b97f4a7c15}
	}
	for seq := 1; seq <= n; seq++ {
		must(s.add(sum("a", seq), int64(seq)))
		must(s.add(sum("b", seq), int64(seq))) // the same sums of another check are no pair
	}
	must(s.add(sum("a", 1), n+1))
	must(s.add(sum("a", 1), n+2))
	must(s.add(sum("b", n), n+3))
	for i := range 1000 {
		must(s.addEarlier(sum("a", 2*n+i), fmt.Sprint("earlier ", i)))
	}
	must(s.addEarlier(sum("a", 77), "AB-77"))
	must(s.addEarlier(sum("a", 77), "")) // a key of any length
	if s.before.size == 0 {
		t.Error("all of it stayed in memory")
	}
	found := map[string]group{}
	for g, err := range s.groups() {
		must(err)
		found[fmt.Sprint(g.check, g.seqs[0])] = g
	}
	want := map[string]group{
		"a1":               {check: "a", seqs: []int64{1, n + 1, n + 2}},
		"a77":              {check: "a", seqs: []int64{77}, earlier: []string{"AB-77", ""}},
		fmt.Sprint("b", n): {check: "b", seqs: []int64{n, n + 3}},
	}
	if diff := cmp.Diff(want, found, cmp.AllowUnexported(group{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.blocks.size == 0 {
		t.Error("no bucket was ever full")
	}
	s.close()
	left, err := os.ReadDir(temp)
	must(err)
	if len(left) > 0 {
		t.Errorf("%d files are left behind", len(left))
	}
}
