package payload

// Operation is one of the four operations of the service (interface.md part 1), by the word that mapping files, commands and reports
// use.
type Operation string

// The four operations.
const (
	CreateCase      Operation = "create_case"
	CreateFolder    Operation = "create_folder"
	UpdateCase      Operation = "update_case"
	UpdateTrademark Operation = "update_trademark"
)

// Operations lists all four in the order of the interface document.
var Operations = []Operation{CreateCase, CreateFolder, UpdateCase, UpdateTrademark}

// Known tells whether the word is one of the four.
func (o Operation) Known() bool {
	switch o {
	case CreateCase, CreateFolder, UpdateCase, UpdateTrademark:
		return true
	}
	return false
}

// Creates tells whether the operation makes a new record in the service each time it is sent.
func (o Operation) Creates() bool { return o == CreateCase || o == CreateFolder }
