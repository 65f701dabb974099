// Package revert says what of a run can be reverted, and writes the source that does it.
//
// The service has no undo, so a run is reverted by sending the payloads that were accepted before it. reverse decides for one
// record whether that is right (it is pure); a sheet is the earlier payloads as a table with the mapping that makes the same
// payloads of it; Write writes the table and the mapping into a folder, reads them back as a run would, and lists beside them what
// cannot be reverted. Nothing is sent from here: the table is a source like any other and goes through check, plan and run.
package revert
