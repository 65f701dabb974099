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
