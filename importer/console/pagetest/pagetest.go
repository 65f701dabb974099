// Package pagetest is what tests share that read pages without a browser. Only tests import it.
package pagetest

import (
	"io"
	"net/http"
	"regexp"
	"testing"
)

// Text is what was answered to a request; the test ends where nothing was.
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

// TokenField is the field of a page's forms that has the token of the session.
var TokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// Token is that token; the test ends where a page has no form.
func Token(t testing.TB, page string) string {
	t.Helper()
	found := TokenField.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("there is no form in\n%s", page)
	}
	return found[1]
}
