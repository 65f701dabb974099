package model

// Place is where a record stands: its run, by id and by number, and its seq.
type Place struct {
	Run    string
	Number int64
	Seq    int64
}

// ScopedKey is what a record is about.
type ScopedKey struct{ Scope, Key string }
