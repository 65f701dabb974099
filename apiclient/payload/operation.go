// Package payload holds everything about what is sent: what the program knows of each operation (About) with its fields
// and their types (Fields), a payload value by value (Walk), the difference between two payloads (Compare), what the
// service may create each time one is sent (Creates), and how payloads are strictly read and exactly written (Encode).
// Its source is part 4 of interface.md. Each operation has its own file; add a new field there.
//
// The life of a payload: a mapping writes it field by field, in the order of Fields. The plan compares it with the one
// accepted before, and Encode writes it as the Switches of the service require; if the result differs from what was
// mapped, the plan keeps both. Those very bytes are shown, pushed and stored as sent (Encoded). Plans of earlier
// releases did not keep them; such a plan is encoded when it is pushed, since Encode leaves its own output unchanged.
//
// One decision is not obvious: there are no Go types for the payloads. Values keep their characters from the cell to
// the wire: a number is never a float ("12.50" stays "12.50"), an absent field differs from null and from "", and a
// text keeps its letters. With a struct and its tags each of these rules would have to be repeated for sixty fields, in
// the struct, its decoder and its encoder; a table of fields over the bytes states it once. The sandbox must not import
// this package, so that a wrong name here cannot agree with itself. It reads requests by interface.md, and its tests
// compare all fields with Fields.
//
// The package imports nothing of ours except apiclient/jsontext.
package payload

// Operation is one of the operations of the service (interface.md part 1), named as in mapping files, commands and
// reports.
type Operation string

// About is everything that the program knows of an operation. Mappings, the configuration's paths, the client, the
// plan, the comparison with answers and the reports use it. Each operation is described in its own file. A new one
// needs such a file, an operation of the sandbox, and samples.
type About struct {
	Operation Operation
	Creates   bool    // makes a new record each time it is sent; otherwise it updates the record with an id
	Replaces  bool    // an update replaces the whole record and removes what it leaves out; otherwise that stays
	Path      string  // below the base URL; "" if interface.md states none
	NoCookie  bool    // may be sent without the authentication cookie (interface.md part 5)
	Answer    Promise // what the body of a success must contain
	Title     string  // the field with the name of a record
	Key       string  // the field that people know a record by; "" if that differs from firm to firm
	List      string  // the list of the service in which a new record appears, found by Key; "" if no list shows that it was made
	Shows     string  // the list of the service that shows the records which an update changes; "" if none does
	One, Many string  // what a firm calls the records
	// Axes are the fields by which counts are reconciled, each with the name of what it stands for.
	Axes []Axis
	// Fields returns the fields of its payload in order, as the switches make them.
	Fields func(Switches) []Field
	// Makes says what an update may create each time a body of it is sent; nil if it creates nothing.
	Makes func(body []byte) Creation
}

// Axis is a field that stands for a client, an office, a state or a class.
type Axis struct{ Name, Field string }

// Promise is what interface.md promises about the body of a success.
type Promise uint8

const (
	PromiseID         Promise = iota // an object with an id (part 2.1)
	PromiseNothing                   // nothing: any complete answer except a web page is accepted, and ids are taken if present
	PromiseDetails                   // any JSON with content: details whose shape is not shown
	PromiseSuccessful                // an object with successful: true
)

var abouts = []About{createCase, createFolder, updateCase, updateTrademark}

// Operations are all operations, those of the interface document first and in its order.
var Operations = func() (list []Operation) {
	for _, about := range abouts {
		list = append(list, about.Operation)
	}
	return list
}()

// About returns what is known of the operation, or the zero value for an unknown one.
func (o Operation) About() About {
	if about := o.about(); about != nil {
		return *about
	}
	return About{}
}

// about is About without a copy. It returns nil for an unknown operation.
func (o Operation) about() *About {
	for n := range abouts {
		if abouts[n].Operation == o {
			return &abouts[n]
		}
	}
	return nil
}

// Known reports whether there is such an operation.
func (o Operation) Known() bool { return o.about() != nil }

// Creates reports whether the operation makes a new record in the service each time it is sent.
func (o Operation) Creates() bool {
	about := o.about()
	return about != nil && about.Creates
}
