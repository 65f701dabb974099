// Package jsontext reads and writes JSON as text. It takes objects and lists apart without decoding their values, so that a value keeps
// its very bytes (a number its digits, a text its escapes) and a member its place, and it writes texts with no more escapes than JSON
// demands, so that a person reads in a log what stood in the cell.
//
// The Split functions and Value take text that is known to be valid JSON, as json.Valid or Parse tell; of anything else they may panic. The package
// imports nothing of ours.
package jsontext
