// Package planfile is the form in which a plan is reviewed and approved before anything is sent. It also compares an
// approved plan with what would be sent now.
//
// A plan file is a text of JSON lines: a Head; one line for each record that would be sent, in order; one for each that
// would not, with the reason; and a seal over every byte before it. Head and lines have what two plans are compared
// with (package compare): the mapping, and the cells. A file that was changed or cut off has no matching seal. The head
// has the digests of everything that the plan was made from (importer.Ingredients). A line has the digests of the
// payload and of what the ledger knew of the record, so a refusal can say what has changed, and not only that something
// has.
//
// The decision that is not obvious is that a plan file orders nothing: a run plans again, and File.Compare compares the
// new plan with the file, line by line. The ledger alone says what may be sent.
package planfile
