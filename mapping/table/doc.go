// Package table is a spreadsheet as the rest of docketsync sees it: a header, rows of cells, and the number and letter
// under which a spreadsheet program shows each of them. Sources make rows, mappings read them, the ledger keeps them as
// JSON, and reports and rejects show them again. All of these import this package. It imports nothing of ours except
// the writing of JSON texts and the reasons that faults give.
//
// Four decisions are made here once, so that no two places can differ:
//
//   - What a cell is before anyone has interpreted it: its kind, its exact characters, and what the sheet shows of a
//     number besides its digits (Cell). A source that does not vouch for a row says so in the row's Faults, and still
//     yields the row.
//   - When two spellings are the same: Fold for names in lookups, FoldName for headers and the words of a mapping file,
//     TwinKey for keys that people probably mean as one. Columns finds the column that a mapping names by FoldName.
//   - Which words say that a row adds up the rows above (TotalWord), and when a name only begins with such a word
//     (LooksLikeTotal).
//   - Whether a spreadsheet program has exchanged day and month in a column (Turning), and whether a column is written
//     as the mapping declares (Readings). No single cell shows either.
package table
