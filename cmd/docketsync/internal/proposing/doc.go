// Package proposing is the work of init: it reads a new file, has a mapping inferred for it, writes that with its lookups and a
// configuration or the lines for one, and counts by a check in a ledger of its own what the rows become. It never overwrites a file:
// all of them are written or none.
//
// It uses the rooms of the command for the installation and exit statuses, and those of importer and mapping for the rest.
package proposing
