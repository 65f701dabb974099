// Package table is a spreadsheet as everybody here sees it: a header, rows of cells, and the number and letter under which a
// spreadsheet program shows each of them. Sources make rows, mappings read them, the ledger keeps them as JSON, and reports
// and rejects show them again; all of them import this package, and it imports nothing of ours
// but the writing of JSON texts.
//
// Four decisions are made here once, so that no two places can differ about them:
//
//   - What a cell is before anybody has interpreted it: its kind, its exact characters, and what the sheet shows of a number
//     besides its digits (Cell). A source that does not vouch for a row says so in its Faults and yields it nevertheless.
//   - When two spellings are one: Fold for names in lookups, FoldName for headers and the words of a mapping file, TwinKey for
//     keys that people probably mean as one. Columns finds the column that a mapping names by the second of these.
//   - Which words say that a row adds up the ones above (TotalWord), and when a name only begins with one (LooksLikeTotal).
//   - Whether a spreadsheet program has turned the dates of a column around (Turning), and whether a column is written as the mapping
//     declares (Readings), which no single cell tells.
package table
