package stop_test

import (
	"testing"

	"docketsync/apiclient"
	"docketsync/importer/stop"
)

func TestCodesOfTheClientAreSpelledAsItDoes(t *testing.T) {
	t.Parallel()
	for code, theirs := range map[string]apiclient.Code{
		stop.NoPath: apiclient.CodeNoPath, stop.SignIn: apiclient.CodeSignIn, stop.Redirect: apiclient.CodeRedirect,
		stop.ServiceDown: apiclient.CodeServiceDown, stop.Certificate: apiclient.CodeCertificate,
	} {
		if code != string(theirs) {
			t.Errorf("%q is %q in the client", code, theirs)
		}
	}
}
