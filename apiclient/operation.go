package apiclient

import (
	"net/http"

	"docketsync/apiclient/payload"
)

// opList is the reading of a page of a list, which interface.md does not show and a configuration may.
const opList payload.Operation = "list"

// method is the HTTP method of an operation (interface.md part 1).
func method(op payload.Operation) string {
	switch {
	case op.Creates():
		return http.MethodPost
	case op == opList:
		return http.MethodGet
	}
	return http.MethodPut
}

// success is the one status that says that an operation was done (interface.md part 7).
func success(op payload.Operation) int {
	if op.Creates() {
		return http.StatusCreated
	}
	return http.StatusOK
}
