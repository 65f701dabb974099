// Package referencelist saves the lists that list operations of the service return: names and ids that lookups are made of.
//
// A list is fetched whole (Store.Fetch) and saved in a file of its own, from which the next reader takes it (Store.Cached):
// where it came from, when, and its items. A file replaces the older one in a single step, so that a reader finds the one or
// the other, and a process that dies leaves nothing half written. Only its owner may read it: it holds the names of a firm's
// clients.
//
// A saved list is valid for one service and one way of reading it. A file that was fetched from another address or with other
// settings is not used.
//
// Nothing here decides that an old list is good enough. Store.Current is told how old it may be, and it is an error when the
// service cannot be asked for a newer one; who uses Store.Cached tells the user how old the list is.
package referencelist
