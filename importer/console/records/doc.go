// Package records has the pages of single records: the search over all runs, what became of a record run by run, and what is in doubt.
//
// A doubt is decided by a person or by the service's own lists, never here. Decisions of a form are taken as a whole or not at all; one that
// would have something sent again is confirmed on a page of its own, because a create that is sent twice cannot be undone; and one about a
// record that somebody else has decided on meanwhile is not taken, and told.
package records
