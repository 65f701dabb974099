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

// Operation is one of the operations of the service (interface.md part 1), by the word that mapping files, commands and reports use.
type Operation string

// About is all that the program knows of an operation: mappings, the configuration's paths, the client, the plan, the comparison with answers and the
// reports go by it. Each is described in a file of its own; a new one is such a file, an operation of the sandbox, and its samples.
type About struct {
	Operation Operation
	Creates   bool    // makes a new record each time it is sent; otherwise it updates the record of an id
	Replaces  bool    // an update replaces the whole record, so that what it leaves out goes away; otherwise it stays
	Path      string  // below the base URL, "" where interface.md states none
	NoCookie  bool    // may be sent without the authentication cookie (interface.md part 5)
	Answer    Promise // what the body of a success has to hold
	Title     string  // the field with what a record is called
	Key       string  // the field that people know a record by, "" where that is another in each firm
	List      string  // the list of the service in which a new record stands, to be found by Key; "" where none shows that it was made
	Shows     string  // the list of the service that shows the records which an update changes; "" for none
	One, Many string  // what a firm calls the records
	// Axes are the fields by which counts are reconciled, each with the name of what it stands for.
	Axes []Axis
	// Fields are those of its payload, in their order, as the switches make them.
	Fields func(Switches) []Field
	// Makes says what an update may create each time a body of it is sent; nil where it creates nothing.
	Makes func(body []byte) Creation
}

// Axis is a field that stands for a client, an office, a state or a class.
type Axis struct{ Name, Field string }

// Promise is what interface.md promises of the body of a success.
type Promise uint8

// The promises.
const (
	PromiseID         Promise = iota // an object with an id (part 2.1)
	PromiseNothing                   // nothing: any whole answer but a web page will do, and ids are taken where there are any
	PromiseDetails                   // any JSON with content: details whose shape is not shown
	PromiseSuccessful                // an object with successful: true
)

var abouts = []About{createCase, createFolder, updateCase, updateTrademark}

// Operations lists all, those of the interface document first and in its order.
var Operations = func() (list []Operation) {
	for _, about := range abouts {
		list = append(list, about.Operation)
	}
	return list
}()

// About is what is known of the operation, the zero value of one that is not known.
func (o Operation) About() About {
	if about := o.about(); about != nil {
		return *about
	}
	return About{}
}

// about is About without a copy, nil of an operation that is not known.
func (o Operation) about() *About {
	for n := range abouts {
		if abouts[n].Operation == o {
			return &abouts[n]
		}
	}
	return nil
}

// Known tells whether there is such an operation.
func (o Operation) Known() bool { return o.about() != nil }

// Creates tells whether the operation makes a new record in the service each time it is sent.
func (o Operation) Creates() bool {
	about := o.about()
	return about != nil && about.Creates
}
