// Package wording has what every text about a run is made of: numbers with their nouns, places in files, times, and the sentence that
// says that a service is not the live one. It is the one place where plurals, thousands and shortened texts are decided, so that the
// page, the workbook, mails and the terminal say the same thing alike. Of ours it imports the ledger, for its rows and
// runs, and the description of operations, for what a firm calls their records.
package wording
