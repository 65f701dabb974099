// Package ledgertest is what tests of ledgers share: PostgreSQL servers of their own, a way to make tests take less time, and
// a measure of processor time. It knows nothing of the ledger, so that the ledger's own tests can import it. Only tests do.
package ledgertest
