package apiclient

import "net/http"

// Operation is one of the four operations of the service (interface.md part 1), by the word that mappings, commands
// and reports use.
type Operation string

// The four operations.
const (
	OpCreateCase      Operation = "create_case"
	OpCreateFolder    Operation = "create_folder"
	OpUpdateCase      Operation = "update_case"
	OpUpdateTrademark Operation = "update_trademark"
)

// opList is the reading of a page of a list, which interface.md does not show and a configuration may.
const opList Operation = "list"

// Operations lists all four in the order of the interface document.
var Operations = []Operation{OpCreateCase, OpCreateFolder, OpUpdateCase, OpUpdateTrademark}

// known tells whether the word is one of the four.
func (o Operation) known() bool {
	switch o {
	case OpCreateCase, OpCreateFolder, OpUpdateCase, OpUpdateTrademark:
		return true
	}
	return false
}

// creates tells whether the operation makes a new record each time it is sent.
func (o Operation) creates() bool { return o == OpCreateCase || o == OpCreateFolder }

// method is the HTTP method of the operation (interface.md part 1).
func (o Operation) method() string {
	switch {
	case o.creates():
		return http.MethodPost
	case o == opList:
		return http.MethodGet
	}
	return http.MethodPut
}

// success is the one status that says the operation was done (interface.md part 7).
func (o Operation) success() int {
	if o.creates() {
		return http.StatusCreated
	}
	return http.StatusOK
}

// DefaultPaths holds the paths that interface.md states. Those of the two updates are not stated: they have no default.
func DefaultPaths() map[Operation]string {
	return map[Operation]string{
		OpCreateCase:   "/v1/firms/file",
		OpCreateFolder: "/v1/firms/folder",
	}
}
