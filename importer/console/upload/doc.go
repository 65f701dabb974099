// Package upload takes a file that nobody has mapped yet to a job: it keeps what somebody uploaded, drafts its mapping, shows what
// the draft makes of the first rows, and lists the names that wait for their ids.
//
// The life of an upload: Take puts the upload into a folder of its own in the Store and reads it through once, so that a file that
// cannot be read is refused before anything is kept of it. The folder holds the file, upload.json (whose it is, and how it is read), the draft
// mapping.yaml beside proposed.yaml, which is what was proposed first, and lookups/*.csv, which are found from the mapping as they
// will be from the one that is saved. Everything else is worked out anew from these whenever it is asked for. An upload that has
// become a job keeps its file, which the job reads, and its draft.
//
// Beside the uploads, the folder keeps the files that jobs read once in place of their own source, such as rejects that were
// corrected. Expire takes away what has not changed for long and nothing reads.
//
// Where the ledger is in PostgreSQL, the folder is the copy that this console has of what all consoles share (shared.go): an upload to one is
// continued at another.
//
// Nothing that a browser says names a file here: folder and file get names that are made of letters, digits and hyphens, and what
// the browser called the file is shown and no more. A draft that is being written may take its lookups from its own folder alone,
// so that a mapping cannot be used to read what else is on the machine.
package upload
