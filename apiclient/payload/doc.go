// Package payload is the one home of what is sent: what the program knows of each operation (About) with its fields and their types (Fields), a payload value by value
// (Walk), the difference between two (Compare), what the service may create each time one is sent (Creates), and the strict reading and
// exact spelling of what goes out (Encode). Its source is part 4 of interface.md. An operation is a file, where a field is added too.
//
// The life of a payload: a mapping writes it field by field, in the order of Fields. The plan compares it with the one accepted before,
// and Encode spells it as the Switches of the service ask; where that is not what was mapped, the plan keeps both. What is shown, what is
// pushed and what is kept as sent are those very bytes (Encoded). A plan of an earlier release, which did not keep them, is spelled when it is
// pushed, as Encode writes unchanged what it has written already.
//
// The decision that is not obvious is that there are no Go types for the payloads. Values keep their characters from the cell to the wire:
// a number is never a float ("12.50" stays "12.50"), an absent field differs from null and from "", and a text keeps its letters. With a
// struct and its tags each of that would have to be said for sixty fields, in the struct, its decoder and its encoder; a table of fields
// over the bytes says it once. The sandbox must not import this package, so that a wrong name here cannot agree with itself: it reads
// requests as interface.md has them, and its tests hold all fields against Fields.
//
// The package imports nothing of ours but apiclient/jsontext.
package payload
