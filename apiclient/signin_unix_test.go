//go:build unix

package apiclient

import (
	"strings"
	"testing"
	"time"
)

// TestCommandsThatPrintNoCookie signs in with commands that do not end, or print what is no cookie.
func TestCommandsThatPrintNoCookie(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"exec sleep 600":               "command sh did not end within 300ms",
		"exec head -c 70000 /dev/zero": "command sh prints more than 64 KiB",
	} {
		c := newClient(t, "http://127.0.0.1:1", func(o *Options) {
			o.AuthCookie, o.SignIn = "", SignIn{Command: []string{"sh", "-c", script}}
			if strings.Contains(script, "sleep") {
				o.Timeout = 300 * time.Millisecond
			}
		})
		if result := send(t, c, aCase(), false); result.Verdict != Stopped || !strings.Contains(result.Message, want) {
			t.Errorf("%s: %s", script, result.Message)
		}
	}
	if got, err := Printed(t.Context(), "", []string{"printf", `\357\273\277cookie-9\r\n`}); got != "cookie-9" || err != nil {
		t.Errorf("a byte order mark: %q, %v", got, err)
	}
}
