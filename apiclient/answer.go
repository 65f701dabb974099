package apiclient

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
)

// fileID is the id that the service gave to one file of a new folder.
type fileID struct {
	ID     string
	Number string // as the answer has it, number or text
	Name   string
}

// answer is what was read from an HTTP answer: the grade and, if present, ids and the service's words.
type answer struct {
	grade   grade
	id      string
	files   []fileID
	message string
	reasons []string
	members jsontext.Object // if the body is a JSON object
	signIn  bool            // the body is a sign-in page
}

// readAnswer grades a body against what interface.md promises for the operation's success status, and extracts the ids
// and words. whole is false if the body was cut short or is larger than the limit.
//
// The promise is part of the operation, see payload.Promise. If it promises details without stating their shape, any
// JSON with content is accepted, because all payloads are JSON. With anyAnswer any other body is accepted too, except a
// web page or a compressed body. A page of a list may be any JSON here: the configuration says where its items are, and
// they are read later.
func readAnswer(op payload.Operation, status int, header http.Header, body []byte, whole bool, anyAnswer bool) answer {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	isJSON := whole && len(body) > 0 && json.Valid(body)
	if status < 200 || status > 299 {
		var a answer
		a.message, a.reasons = words(body, isJSON)
		return a
	}
	if !isJSON {
		return readOther(op, status, header, body, whole, anyAnswer)
	}
	members, _ := jsontext.SplitObject(body)
	a := readMembers(op, status, body, members, anyAnswer)
	a.members = members
	return a
}

// readMembers grades a body that is JSON. members are the members if it is an object.
func readMembers(op payload.Operation, status int, body []byte, members jsontext.Object, anyAnswer bool) answer {
	if grade, by := ownWords(members); grade != promised {
		a := answer{grade: grade}
		a.message, a.reasons = words(body, true)
		for _, said := range by {
			if said != a.message && !slices.Contains(a.reasons, said) {
				a.reasons = append(a.reasons, said)
			}
		}
		if a.message == "" && len(by) > 0 {
			a.message = by[0]
		}
		return a
	}
	if status != success(op) {
		return answer{message: "unexpected status for this operation"}
	}
	if op.About().Answer == payload.PromiseDetails && anyAnswer {
		return answer{grade: promised}
	}
	return readSuccess(op, body, members)
}

// ownWords says what an object reports about itself, in the member that interface.md defines or in those that other
// services use. It returns promised unless something says that the request failed. by holds the words of the error, or
// the member that reports it.
func ownWords(members jsontext.Object) (said grade, by []string) {
	if successful, _ := members.Find("successful"); string(successful) == "false" {
		return saidNo, nil
	}
	for _, m := range members {
		is := func(names ...string) bool { return slices.ContainsFunc(names, m.Is) }
		holds := func(word string) bool { return strings.EqualFold(jsontext.Text(m.Value), word) }
		switch {
		case is("error", "errors"):
			if !saysNothing(m.Value) {
				return saidError, flatten("", m.Value)
			}
		case is("successful", "success", "ok") && holds("false"),
			is("status", "statuscode", "status_code") && ofError.Match(m.Value),
			is("status", "result") && (holds("error") || holds("failed") || holds("failure")):
			return saidError, flatten(m.Text(), m.Value)
		}
	}
	return promised, nil
}

// ofError matches a number that is the HTTP status of an error, as in problem details (RFC 9457). A text or another
// number may belong to a record.
var ofError = regexp.MustCompile(`^[45]\d\d$`)

// saysNothing reports whether an error member means that there is no error, whatever its shape: the number 0, the word
// none, or an object or list of such values.
func saysNothing(value []byte) bool {
	if items, ok := jsontext.SplitList(value); ok {
		return !slices.ContainsFunc(items, func(item []byte) bool { return !saysNothing(item) })
	}
	if members, ok := jsontext.SplitObject(value); ok {
		return !slices.ContainsFunc(members, func(m jsontext.Member) bool { return !saysNothing(m.Value) })
	}
	return slices.Contains([]string{"", "0", "false", "no", "none", "null", "no error", "no errors", "ok", "success"}, strings.ToLower(strings.Trim(jsontext.Text(value), " .")))
}

// readOther grades a body that is not JSON. For some operations interface.md shows no body, so a service may well send
// none. An empty body does not count as success unless the configuration says so, because an intermediary may send one
// too.
func readOther(op payload.Operation, status int, header http.Header, body []byte, whole bool, anyAnswer bool) answer {
	encoding := header.Get("Content-Encoding")
	switch {
	case len(body) > 0 && encoding != "" && !strings.EqualFold(encoding, "identity"):
		return answer{message: "the answer is compressed (" + encoding + "), which docketsync does not ask for"}
	case len(body) > 0 && isPage(header, body):
		name := ""
		if found := title.FindSubmatch(body); found != nil {
			name = ` "` + inLine(string(found[1])) + `"`
		}
		return answer{message: "the answer is a web page" + name + "; has the sign-in expired?", signIn: toSignIn.Match(body)}
	case op.About().Answer == payload.PromiseNothing && status == success(op) && whole:
		return answer{grade: promised}
	case op.About().Answer != payload.PromiseDetails || status != success(op) || !whole:
		return answer{message: "the answer is not JSON"}
	}
	if anyAnswer {
		return answer{grade: promised}
	}
	what := "not JSON"
	if len(body) == 0 {
		what = "empty"
	}
	return answer{message: "the answer is " + what + " (if this is how the service confirms updates, set service.switches.update_answer: any)"}
}

func readSuccess(op payload.Operation, body []byte, members jsontext.Object) answer {
	if op == opList {
		return answer{grade: promised}
	}
	switch op.About().Answer {
	case payload.PromiseNothing:
		return readFolder(members)
	case payload.PromiseID:
		if id := idOf(members); id != "" {
			return answer{grade: promised, id: id}
		}
		return answer{message: "the answer is not a " + strings.TrimPrefix(string(op), "create_") + " record with an id that is a GUID"}
	case payload.PromiseSuccessful:
		if successful, _ := members.Find("successful"); string(successful) != "true" {
			return answer{message: "the answer has no field successful"}
		}
		return answer{grade: promised, id: textOf(members, "id"), message: textOf(members, "message")}
	case payload.PromiseDetails:
		if text := string(body); text == "null" || text == "false" || text == `""` {
			return answer{message: "the answer has no details of the update (if this is how the service confirms updates, set service.switches.update_answer: any)"}
		}
		return answer{grade: promised}
	}
	return answer{message: "unexpected answer for this operation"}
}

// readFolder reads the ids that are there; missing ones are no error.
func readFolder(members jsontext.Object) answer {
	a := answer{grade: promised, id: idOf(members)}
	list, _ := members.Find("files")
	if len(list) == 0 {
		return a
	}
	files, _ := jsontext.SplitList(list)
	for _, file := range files {
		of, _ := jsontext.SplitObject(file)
		if id := idOf(of); id != "" {
			number, _ := of.Find("number")
			a.files = append(a.files, fileID{ID: id, Name: textOf(of, "name"), Number: jsontext.Text(number)})
		}
	}
	return a
}

// idOf returns the id of a record, or "". Ids are GUIDs (interface.md part 2); the GUID of all zeros identifies
// nothing, and if there are two different ids it is unknown which one is right.
func idOf(members jsontext.Object) string {
	text := textOf(members, "id")
	if id, err := uuid.Parse(text); err != nil || id == uuid.Nil || members.Torn("id") {
		return ""
	}
	return text
}

// textOf returns the text of a member, or "" if it is missing or not a string.
func textOf(members jsontext.Object, name string) string {
	value, there := members.Find(name)
	if !there || value[0] != '"' {
		return ""
	}
	return jsontext.Text(value)
}

// opList is the reading of a page of a list. interface.md shows no list; a configuration may.
const opList payload.Operation = "list"

// method returns the HTTP method of an operation (interface.md part 1).
func method(op payload.Operation) string {
	switch {
	case op.Creates():
		return http.MethodPost
	case op == opList:
		return http.MethodGet
	}
	return http.MethodPut
}

// success returns the only status that means an operation was done (interface.md part 7).
func success(op payload.Operation) int {
	if op.Creates() {
		return http.StatusCreated
	}
	return http.StatusOK
}
