// Package store is the database of a ledger: one connection that writes and a few that read, plain SQL that is one text for both
// engines, and the schema with its migrations. It knows nothing of runs and records; those are package ledger's.
//
// An Engine is all that SQLite and PostgreSQL do differently; packages sqlite and postgres have one each. The schema is the folder
// schema, applied in one transaction; words in braces there are spelled by the engine. Migrations go forward only.
//
// A Reader cannot write: its connections refuse to (query_only, default_transaction_read_only). The Writer runs one transaction at a
// time (Do). Whoever wants to do more in a transaction than to call what is there must name Tx, and with it import this package,
// which only the rooms of the ledger may.
package store
