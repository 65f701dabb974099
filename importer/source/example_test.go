package source_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"docketsync/importer/source"
)

// A file is opened by what its first bytes are. Every row comes with the number that a spreadsheet shows, and what is no data says why.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "marks.txt")
	if err := os.WriteFile(path, []byte("Marks of Lumen GmbH\n\nOur Ref;Mark;Filed\n00123;LUMEN;01/03/2024\n\n00124;\"ORBIT;\nGO\";02/03/2024\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	file, err := source.Open(ctx, path, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	fmt.Printf("%q\n", file.Header().Names)
	for row, err := range file.Rows(ctx) {
		if err != nil {
			log.Fatal(err) // names the file, the row and what to do
		}
		fmt.Printf("%d %q", row.Number, row.Skip)
		for _, cell := range row.Cells {
			fmt.Printf(" %q", cell.Text)
		}
		fmt.Println()
	}
	found := file.Detected()
	fmt.Printf("%s %s %q header in row %d\n", found.Format, found.Encoding, found.Delimiter, found.HeaderRow)
	// Output:
	// ["Our Ref" "Mark" "Filed"]
	// 4 "" "00123" "LUMEN" "01/03/2024"
	// 5 "blank" "" "" ""
	// 6 "" "00124" "ORBIT;\nGO" "02/03/2024"
	// csv utf-8 "semicolon" header in row 3
}
