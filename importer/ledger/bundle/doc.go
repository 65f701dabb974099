// Package bundle keeps what planned records hold, their payloads and cells, compressed and some dozens together. Its numbers are those of the runs, so
// that a record is found by its row and what is known by its own; a bundle is written once, and only a prune, and a client that is forgotten, take records out of it.
package bundle
