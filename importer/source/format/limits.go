package format

// Limits bound what a file may make the reader hold. A zero field takes the default named beside it. A text file is read
// within three times Record (the buffer, the cells being put together, and the string they end in) and half a MiB for
// finding its dialect. Cell is not asked of workbooks: a text there of more than LongestText characters is an error of its
// cell. A text file is not held to that, as exports of databases have longer notes and none of it is there twice.
type Limits struct {
	Cell     int   // bytes of one cell: 4 MiB
	Record   int   // bytes of one row: 16 MiB
	Columns  int   // cells of one row: 16,384, as many as a spreadsheet has
	Unpacked int64 // bytes that a compressed file may unpack to: 4 GiB for text; workbooks take at most this, see there
}

// The size of a sheet, and of a text in one of its cells, in every spreadsheet program.
const (
	SheetRows    = 1_048_576
	SheetColumns = 16_384
	LongestText  = 32_767 // characters as spreadsheet programs count: in UTF-16
	// LongestBytes is more than any such text takes in UTF-8.
	LongestBytes = 3 * LongestText
)

// WithDefaults fills in the fields that are not set.
func (l Limits) WithDefaults() Limits {
	if l.Cell <= 0 {
		l.Cell = 4 << 20
	}
	if l.Record <= 0 {
		l.Record = 16 << 20
	}
	if l.Columns <= 0 {
		l.Columns = SheetColumns
	}
	if l.Unpacked <= 0 {
		l.Unpacked = 4 << 30
	}
	return l
}
