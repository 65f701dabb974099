// Package sandbox is the service of interface.md as a server: the operations over HTTP, with strict validation, durable
// storage and the ability to misbehave on purpose. It exists so that an importer can be run, tested and broken against
// something that keeps records, and so that the records can be examined afterwards: how many times was this case
// created?
//
// It imports nothing of the importer. Its structs and its reading of interface.md are its own, so that a wrong tag on
// one side cannot agree with itself on the other. testdata/openapi.yaml states the same a third time, for a validator
// that neither side wrote and that stands between the two in the tests.
//
// Each operation has its own file, which states its path, reads its payload, stores it and lists what it stored, and an
// entry in operations.
//
// # The life of a request
//
// A request gets a sequence number, which together with the seed of the faults decides what goes wrong with it. The
// sandbox reads it whole (up to a limit), checks its sign-in, and reads it member by member, so that every reason
// against it is found at once. What the request does and its line in the request log are one transaction, so the log
// never reports something that did not happen, and never misses something that did. The answer follows the commit: a
// caller that has an answer can kill the sandbox and find the record again. A power cut may lose the last records,
// which is acceptable for a test server.
//
// A request that has been read is carried out even if its caller hangs up meanwhile, as services do: an importer has to
// survive exactly that.
//
// # Where interface.md says nothing
//
// interface.md does not show the paths of the two updates, the answer of update case, the body of create folder's 201
// and the shape of a 400. The defaults here (see [Answers], [Reason]) are choices, not knowledge. These rules were
// chosen:
//
//   - An unknown member, a member that occurs twice, a null where none is described and a query string are refused.
//   - Dates are RFC 3339 in UTC, ending in Z. GUIDs are 36 characters, in either case, and answered in lower case.
//   - Empty texts are accepted: interface.md requires presence, and limits only the two names of create folder.
//   - Members that an update of a trademark leaves out keep their value; update case replaces what it lists.
//   - A component that its template requires must be among the components of update case.
//   - Every update of a trademark without do_not_create_file: true creates one more case.
//   - Every goods and services entry with id null creates one more entry.
//
// # Additions of the sandbox
//
// These are not part of the interface: POST /v1/login, GET /v1/lists/{kind}, GET /v1/sandbox/state, GET
// /v1/sandbox/snapshot, GET and PUT /v1/sandbox/faults. The items of the lists files and trademarks say when and by
// whom they were last changed, in updated_at and updated_by.
package sandbox
