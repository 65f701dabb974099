package rows

import (
	"path/filepath"
	"slices"

	"docketsync/config/diagnostic"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// maker makes records of rows with the mappers that a walk has bound.
type maker struct {
	mapping *mapping.Mapping
	sources *Sources
	mappers map[int]*mapping.Mapper // by the number of their source

	correcting *correcting // nil if nothing is read
}

func newMaker(m *mapping.Mapping) *maker {
	return &maker{mapping: m, sources: &Sources{}, mappers: map[int]*mapping.Mapper{}}
}

// open registers an input before its rows.
func (m *maker) open(t *Table) {
	m.sources.open(t)
	m.correcting = t.correcting
	for n := range t.Sources() {
		m.mappers[t.First+n] = t.Mapper
	}
}

// mapped returns what became of the rows of a key: reasons, or a payload, which is valid until the mapper's next
// record.
func (m *maker) mapped(key string, record mapping.Record, reasons []reason.Reason) decide.Mapped {
	made := decide.Mapped{Operation: m.mapping.Operation(), Key: key, Reasons: reasons, Notes: record.Notes, Traits: record.Traits, Rank: record.Rank}
	if len(reasons) == 0 {
		made.Payload, made.Digest = record.Payload, decide.Digest(record.Payload)
	}
	return made
}

// group maps the rows of one record. If they are spread over files whose columns differ, no one mapper can read them,
// and the record is rejected.
func (m *maker) group(key string, rows []table.Row) decide.Mapped {
	if m.correcting != nil {
		if missed := m.correcting.missed(key); missed != nil {
			rows[0].Faults = append(slices.Clone(rows[0].Faults), *missed)
		}
	}
	first := rows[0].Source
	mapper := m.mappers[first]
	for _, row := range rows {
		if m.mappers[row.Source] != mapper && !slices.Equal(m.sources.at(first).Header, m.sources.at(row.Source).Header) {
			return m.mapped(key, mapping.Record{}, []reason.Reason{reason.Reason{}.Says(reason.New(reason.OverFiles, key, m.sources.files(rows)))})
		}
	}
	record, reasons := mapper.Map(rows)
	return m.mapped(key, record, reasons)
}

// each maps rows of one key that are records of their own and have to agree.
func (m *maker) each(key string, rows []table.Row) decide.Mapped {
	var first decide.Mapped
	var reasons []ledger.Reason
	agree := true
	for n, row := range rows {
		record, why := m.mappers[row.Source].Map([]table.Row{row})
		made := m.mapped(key, record, why)
		reasons = append(reasons, made.Reasons...)
		if n == 0 {
			first = made
		}
		agree = agree && made.Digest == first.Digest && made.Digest != ""
		first.Rank = min(first.Rank, made.Rank)
	}
	if len(rows) > 1 && !agree {
		why := m.sources.Duplicate(ledger.Record{Key: key, Rows: LedgerRows(rows, false)})
		return decide.Mapped{Operation: first.Operation, Key: key, Reasons: append([]ledger.Reason{why}, reasons...)}
	}
	return first
}

// all returns the record of all rows of a key.
func (m *maker) all(key string, rows []table.Row) decide.Mapped {
	if m.mapping.Grouped() {
		return m.group(key, rows)
	}
	return m.each(key, rows)
}

// LedgerRows returns the rows of a record as the ledger keeps them, with or without their cells.
func LedgerRows(rows []table.Row, cells bool) []ledger.Row {
	var some RowWriter
	return some.Rows(rows, cells)
}

// RowWriter writes the rows of many records into few pieces of memory.
type RowWriter struct {
	rows  []ledger.Row
	cells []byte
}

// Reset reuses the memory of everything that was written.
func (w *RowWriter) Reset() { w.rows, w.cells = w.rows[:0], w.cells[:0] }

// Rows is LedgerRows.
func (w *RowWriter) Rows(rows []table.Row, cells bool) []ledger.Row {
	w.rows = room(w.rows, len(rows), 1)
	from := len(w.rows)
	for _, row := range rows {
		kept := ledger.Row{Source: row.Source, Number: row.Number}
		if cells {
			began := len(w.cells)
			w.cells = table.AppendCells(w.cells, row.Cells)
			kept.Cells = w.cells[began:len(w.cells):len(w.cells)]
		}
		w.rows = append(w.rows, kept)
	}
	return w.rows[from:len(w.rows):len(w.rows)]
}

// CrowdReason returns the reason for rows whose key too many rows have.
func CrowdReason(key string, most int) ledger.Reason {
	return ledger.Reason{Value: key}.Says(reason.New(reason.Crowded, most, key))
}

// Duplicate returns the reason for a record whose rows contradict each other.
func (s *Sources) Duplicate(r ledger.Record) ledger.Reason {
	return ledger.Reason{Value: r.Key, Row: r.Rows[0].Number, Source: SourceNumber(r.Rows)}.Says(reason.New(reason.Duplicate, r.Key, s.Places(r.Rows)))
}

// SourceNumber returns the source of the first row, counted from 1, to tell it from a row of the same number in another
// source. It returns 0 if all rows are of one source.
func SourceNumber(rows []ledger.Row) int {
	if slices.ContainsFunc(rows, func(row ledger.Row) bool { return row.Source != rows[0].Source }) {
		return rows[0].Source + 1
	}
	return 0
}

// contradictions returns the fields whose dates or numbers contradict the declared format in any input.
func (m *maker) contradictions() (faults diagnostic.Faults) {
	for n := range len(m.mappers) {
		if n > 0 && m.mappers[n] == m.mappers[n-1] {
			continue // another sheet of the same file
		}
		if slices.ContainsFunc(m.sources.at(n).Header, table.IsOwnColumn) {
			continue // the rejected part of a column says nothing about the rest
		}
		faults = append(faults, m.mappers[n].Contradictions(func(source int) string {
			from := m.sources.at(source)
			return filepath.Base(from.File) + wording.Prefixed(", sheet ", from.Sheet)
		})...)
	}
	return faults
}
