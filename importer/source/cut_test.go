package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLastRowThatMayBeCutOffHasAFault cuts files in their last line.
func TestLastRowThatMayBeCutOffHasAFault(t *testing.T) {
	t.Parallel()
	const statuses = "Ref,Status\nA1,Registered\nA2,Pending\nA3,Registered\nA4,"
	const days = "Ref,Filed\nA1,1/2/2021\nA2,13/12/2020\nA3,4/4/2019\nA4,"
	const names = "Ref,Name\nA1,Matthew\nA2,Ann\nA3,Jo\nA4,"
	const ids = "Ref,Id\nA1,0b5e4c5a-7f11-4b7e-9a55-000000000101\nA2,0b5e4c5a-7f11-4b7e-9a55-000000000102\nA3,0b5e4c5a-7f11-4b7e-9a55-000000000103\nA4,"
	for _, tt := range []struct {
		name, in string
		o        Options
		cut      bool
	}{
		{"a piece of a status", statuses + "Re", Options{}, true},
		{"a piece of a status, with a line break", statuses + "Re\n", Options{}, false},
		{"a piece of a status, and kept", statuses + "Re", Options{Cut: "keep"}, false},
		{"a whole status", statuses + "Pending", Options{}, false},
		{"a status of its own", statuses + "Opposed", Options{}, false},
		{"no status where all rows have one", statuses, Options{}, true},
		{"a piece of a date", days + "25/11/20", Options{}, true},
		{"a whole date", days + "5/11/2020", Options{}, false},
		{"a piece of a GUID", ids + "0b5e4c5a-7f11", Options{}, true},
		{"a piece of a name, which may be a name", names + "Matt", Options{}, false},
		{"another name", names + "Bo", Options{}, false},
		{"another name, where earlier files ended with a line break", names + "Bo", Options{Ended: true}, true},
		{"and this one does", names + "Bo\r\n", Options{Ended: true}, false},
		{"a class of one digit below some of two", "Ref,Class\nA1,35\nA2,42\nA3,25\nA4,9", Options{}, false},
		{"a class that another begins with", "Ref,Class\nA1,35\nA2,35\nA3,42\nA4,3", Options{}, false},
		{"a piece of an amount", "Ref,Fee\nA1,35.00\nA2,42.50\nA3,250.00\nA4,3", Options{}, true},
		{"a piece of a padded number", "Ref,No\nA1,0035\nA2,0042\nA3,0025\nA4,00", Options{}, true},
		{"a row that is short", strings.TrimSuffix(statuses, ","), Options{}, true},
		{"a blank last column", "Ref,Notes\nA1,\nA2,\nA3,x\nA4,", Options{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), textFile(t, "in.csv", tt.in), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var cut []int
			for row, err := range s.Rows(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range row.Faults {
					if f.Code == "cut_off" {
						cut = append(cut, row.Number)
					}
				}
			}
			want := []int(nil)
			if tt.cut {
				want = []int{5}
			}
			if diff := cmp.Diff(want, cut); diff != "" {
				t.Error(diff)
			}
			if s.Ended() != strings.HasSuffix(tt.in, "\n") {
				t.Error("whether it ended is wrong")
			}
		})
	}
}

// TestPieceOfANumberIsToldAfterManyOfOneLength cuts the last of many numbers.
func TestPieceOfANumberIsToldAfterManyOfOneLength(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	in.WriteString("Ref,Serial\n")
	for n := range 60 {
		fmt.Fprintf(&in, "A%d,%d\n", n, 79000000+n)
	}
	if got, _ := faultsOf(t, textFile(t, "in.csv", in.String()+"A60,7900"), Options{}); len(got) != 1 {
		t.Errorf("faults %q", got)
	}
}
