package source

import (
	"fmt"
	"strings"
	"testing"
)

func TestAnotherHeaderAmongTheRows(t *testing.T) {
	t.Parallel()
	const head, narrow = "Ref,Mark,Owner,Status\n1,SOL,ACME,Live\n", "Ref,Name\n1,Lease\n"
	for _, tt := range []struct{ name, file, want string }{
		{"the same again", head + "Ref,Mark,Owner,Status\n2,LUNA,ACME,Live\n", ""},
		{"in another order", head + "Mark,Ref,Owner,Status\nLUNA,2,ACME,Live\n", "3 4"},
		{"with a name of its own", head + "Ref,Mark,Owner,State\n2,LUNA,ACME,Live\n", "3"},
		{"spelled in another way", head + "Ref.,MARK,Owner:,Status\n2,LUNA,ACME,Live\n", "3"},
		{"names that are values", head + "2,Mark,Owner,Live\n3,Status,Ref,Live\n", ""},
		{"values that are names, one of them twice", head + "Mark,Mark,Owner,Live\n", ""},
		{"a footer by its pattern", head + "Mark,Ref,Owner,Status\n", ""},
		{"two columns the other way round", narrow + "Name,Ref\nSale,2\n", "3 4"},
		{"two columns, one of a name", narrow + "2,Ref\nName,Sale\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{}
			if strings.Contains(tt.name, "footer") {
				o.Footer = "^Mark$"
			}
			s, err := openMemory(t, []byte(tt.file), o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for row, err := range s.Rows(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if row.Skip == "" && len(row.Faults) > 0 {
					got = append(got, fmt.Sprint(row.Number))
					if below := row.Faults[0].Code == "below_other_header"; below != (row.Number == 4) {
						t.Errorf("row %d: %s", row.Number, row.Faults[0].Code)
					}
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("faults in rows %v, want %s", got, tt.want)
			}
		})
	}
}
