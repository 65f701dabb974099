// Package queue carries out the runs that people ask for on the pages, and knows how far a run is. It knows no page.
//
// An order outlasts the request that took it: it goes on when the browser is gone. One is carried out at a time, in the order in which they were
// taken, because a ledger that is open once remembers for all who use it whether a write has failed. Standing says how an order is doing;
// what it did is in the ledger. Of a run that another process makes, Pulses tells how far it is by what the ledger says.
//
// Nodes have not made it needless. River would hand an order to any of them, but SQLite has no River, so that there would be two queues; and what takes
// long in an order, the sending, is shared with all nodes as it is (package cluster).
//
// It promises that End waits for everything that was begun, and that an order which is stopped while it waits is never begun.
package queue
