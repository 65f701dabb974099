// Package lists keeps what list operations of the service gave: names and ids that lookups are made of.
//
// A list is fetched whole (Store.Fetch) and put into a file of its own, by which the next reader knows it (Store.Cached):
// where it came from, when, and its items. A file takes the place of the older one in a single step, so that a reader
// finds the one or the other, and a process that dies leaves nothing half written. Only its owner may read it: the names
// of a firm's clients are in it.
//
// What was fetched is true of one service and one way of reading it. A file that was fetched from another address, or
// whose list is configured otherwise since, counts as none.
//
// Nothing here decides that an old list will do. Store.Current is told how old it may be, and when the service cannot be
// asked for a newer one that is an error; who uses Store.Cached says to the user how old it is.
package lists
