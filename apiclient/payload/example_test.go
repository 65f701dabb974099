package payload_test

import (
	"errors"
	"fmt"

	"docketsync/apiclient/payload"
)

// All problems of a payload are found at once. Digits are passed on as they are.
func ExampleEncode() {
	p, err := payload.Encode(payload.CreateFolder, []byte(`{"client_id": "c", "name": "Lumen", "files": [{"number": 12345678901234567890.50, "name": "First"}]}`), payload.Switches{})
	fmt.Println(string(p.Body), err)
	_, err = payload.Encode(payload.CreateFolder, []byte(`{"name": "Lumen", "files": [{"number": "TM-7/2024", "name": "First", "colour": "red"}]}`), payload.Switches{})
	if wrong, ok := errors.AsType[*payload.Error](err); ok {
		for _, field := range wrong.Fields {
			fmt.Println(field)
		}
	}
	// Output:
	// {"name":"Lumen","client_id":"c","files":[{"name":"First","number":12345678901234567890.50}]} <nil>
	// client_id is missing
	// files[0].number "TM-7/2024" cannot be sent as a number without changing it; send it as text (switch folder_file_number) or correct it
	// files[0].colour is not a field of this operation
}

// What changes between two payloads, value by value. An update of a trademark cannot remove a value, which stays in the service.
func ExampleChanges() {
	changes, err := payload.Changes(payload.UpdateTrademark,
		[]byte(`{"id": "1", "mark_text": "LUMEN", "status": "Pending", "notes": "n"}`), []byte(`{"id": "1", "mark_text": "LUMEN", "status": "Registered"}`))
	for _, c := range changes {
		fmt.Println(c.Field, c.Old, c.New, c.Stays)
	}
	fmt.Println(err)
	// Output:
	// status Pending Registered false
	// notes n <nil> true
	// <nil>
}
