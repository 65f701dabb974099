// Package pagetest is what tests share that read pages without a browser. Only tests import it.
package pagetest

import (
	"io"
	"net/http"
	"regexp"
	"testing"
)

// Text returns the answer to a request; without an answer, the test fails.
func Text(t testing.TB, answer *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TokenField matches the form field with the session's token.
var TokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// Token returns that token; without a form on the page, the test fails.
func Token(t testing.TB, page string) string {
	t.Helper()
	found := TokenField.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("there is no form in\n%s", page)
	}
	return found[1]
}
