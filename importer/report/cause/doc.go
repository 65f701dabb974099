// Package cause says why records did not go in, grouped by what a person corrects once.
//
// A cause is outcome, code and field; for lookups and lists of values also the value; for the service's refusals its words, without
// the ids and numbers in them. At most 1,000 are told apart. A problem is the next larger thing, what a person is told once: all the
// causes of one code and field, with the values that are at fault. Blame finds the cells that the reasons of a record point at;
// NewMissing collects the names for which a lookup has no id.
//
// It reads records one by one and writes nothing, so that reports, certificates and the console group them alike.
package cause
