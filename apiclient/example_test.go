package apiclient_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
)

// exampleClient is a client of a service of its own: the sandbox, which knows one template and one user.
func exampleClient() (*apiclient.Client, func()) {
	box, err := sandbox.Open(sandbox.Options{Directory: sandbox.Directory{
		Templates: []sandbox.Template{{ID: "0b5e4c5a-7f11-4b7e-9a55-000000000001", Name: "General", Default: true}},
		Users:     []sandbox.User{{ID: "0b5e4c5a-7f11-4b7e-9a55-000000000002", UserName: "ada"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(box.Handler())
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, SubscriptionKey: "the firm's key", AuthCookie: "the user's cookie"})
	if err != nil {
		log.Fatal(err)
	}
	return client, func() {
		client.Close()
		server.Close()
		_ = box.Close()
	}
}

// A payload is spelled first, which finds everything that is wrong with it, and then sent. The verdict says what became of the record; a create is never
// sent again by the client where it may have been acted on.
func ExampleClient_Send() {
	client, closeAll := exampleClient()
	defer closeAll()
	for _, text := range []string{
		`{"name": "Lumen v. Orbit", "number": "M-1", "active": true, "file_template_id": "0b5e4c5a-7f11-4b7e-9a55-000000000001", "user_id": "0b5e4c5a-7f11-4b7e-9a55-000000000002"}`,
		`{"name": "Salix", "number": "M-2", "active": true, "file_template_id": "0b5e4c5a-7f11-4b7e-9a55-000000000009", "user_id": "0b5e4c5a-7f11-4b7e-9a55-000000000002"}`,
	} {
		p, err := payload.Encode(payload.CreateCase, []byte(text), payload.Switches{})
		if err != nil {
			log.Fatal(err)
		}
		result := client.Send(context.Background(), p, p.Creates() == payload.Creation{})
		fmt.Println(result.Verdict, result.Status, result.Reasons)
	}
	// Output:
	// accepted 201 []
	// refused 400 [file_template_id: 0b5e4c5a-7f11-4b7e-9a55-000000000009 is not the id of a known case template]
}

// A list of the service is read to its end, page by page. What cannot be read without a gap is an error.
func ExampleClient_List() {
	client, closeAll := exampleClient()
	defer closeAll()
	users, err := client.List(context.Background(), apiclient.ListSpec{Name: "users", Path: "/v1/lists/users", Take: 100, Total: "total", ID: "id", Members: []string{"user_name"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, user := range users {
		fmt.Println(user.ID, user.Texts)
	}
	// Output:
	// 0b5e4c5a-7f11-4b7e-9a55-000000000002 [ada]
}
