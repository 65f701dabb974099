package config

// StopAfter are the limits within which a service may refuse, fail or leave in doubt what it is sent, for a run as a whole. A run
// that reaches one is stopped, and what was not sent is held. Unlike guards, which look at the export, these look at the answers.
type StopAfter struct {
	// SameRefusal is how many first records may be refused alike before a setting is taken to be wrong, 0 for any number.
	SameRefusal int `yaml:"same_refusal" json:"same_refusal"`
	// SameDifference is how many of the first records may be accepted and stored with another value in one and the same field, 0 for
	// any number.
	SameDifference int `yaml:"same_difference" json:"same_difference"`
	// InDoubt is how many records may be in doubt, 0 for any number.
	InDoubt int `yaml:"in_doubt" json:"in_doubt"`
	// Failed is how many records may fail, 0 for any number.
	Failed int `yaml:"failed" json:"failed"`
	// Rejected is the share of answers that may be refusals.
	Rejected Percent `yaml:"rejected" json:"rejected"`
}

// defaultStopAfter leaves room for the trouble of a bad hour, and none for a service that does not work: each doubt is a matter
// that a person looks up.
func defaultStopAfter() StopAfter {
	return StopAfter{SameRefusal: 5, SameDifference: 5, InDoubt: 50, Failed: 200, Rejected: 50}
}

func (v *validator) stopAfter(s StopAfter) {
	for key, n := range map[string]int{"same_refusal": s.SameRefusal, "same_difference": s.SameDifference, "in_doubt": s.InDoubt, "failed": s.Failed} {
		v.require(n >= 0, key+" cannot be below 0", "0 means any number", "stop_after", key)
	}
}
