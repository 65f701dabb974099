package model

// Made is what the plan of a run was made from, beside its sources (Run.Sources) and the ledger: enough to tell why two plans differ.
type Made struct {
	Version string `json:"version,omitempty"` // of docketsync
	Mapping string `json:"mapping,omitempty"` // SHA-256 of its text, hex
	// Settings are those of the configuration that are not as usual, a line each: how sources are read, and the service's switches.
	Settings []string `json:"settings,omitempty"`
	Lookups  []Digest `json:"lookups,omitempty"` // files, and lists of the service
	Text     string   `json:"-"`                 // of the mapping
}

// Digest is what a lookup says, as SHA-256 in hex.
type Digest struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}
