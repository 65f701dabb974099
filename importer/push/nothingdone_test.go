package push

import (
	"errors"
	"strings"
	"testing"

	"docketsync/apiclient"
	"docketsync/importer/stop"
)

func TestNothingDone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		trouble    error
		code, says string
	}{
		{&apiclient.Error{Code: apiclient.CodeUnreachable, Message: "connection refused", Hint: "given up"}, stop.ServiceDown, "ended with: connection refused"},
		{&apiclient.Error{Code: apiclient.CodeStatus, Message: "the service answered 502"}, stop.ServiceDown, "ended with: the service answered 502"},
		{&apiclient.Error{Code: apiclient.CodeAnswer, Message: "but the answer is empty"}, stop.Service, "no conclusive answer; the last one: but the answer is empty"},
		{errors.New("boom"), stop.ServiceDown, "ended with: boom"},
	}
	for _, test := range tests {
		if code, why := nothingDone(test.trouble); code != test.code || !strings.HasSuffix(why.Error(), test.says) {
			t.Errorf("%v: %s, %v", test.trouble, code, why)
		}
	}
}
