package daemon

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestAFirmThatDoesNotAnswer has nobody answer what the files of one firm are like: the others are taken up all the same, people are told after a while, and the firm
// is served once it answers. A process that is asked to end does not wait for it.
func TestAFirmThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	answers := make(chan struct{})
	f, said, told := fleetOf(t, answers, map[string]string{"acme": "labels: {region: {env: REGION}}\n" + everyMinute, "birch": everyMinute})
	f.folder.Labels, f.led, f.groups["region=eu"] = map[string]string{"region": "eu"}, 1, func() {}
	acme := f.firms["acme"]
	ended, end := context.WithCancel(t.Context())
	end()
	if err := f.scan(ended); err != nil || len(f.firms) != 2 {
		t.Errorf("a process that ends: %v", err)
	}
	scan := func() {
		t.Helper()
		if err := f.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	scan()
	if now := told(); f.firms["birch"].stamp == "" || !acme.silent || now != "" {
		t.Errorf("of birch %q is known, acme is silent: %v, and people were told %q", f.firms["birch"].stamp, acme.silent, now)
	}
	f.visitNow(t, "birch")
	acme.next = time.Now()
	if of, _, _ := f.choose("", time.Now()); of != nil {
		t.Error("a firm that does not answer takes a place")
	}
	f.looks.open["acme"] = time.Now().Add(-silentAfter)
	scan()
	if now := told(); !strings.Contains(now, "Firm acme needs attention: it cannot be served: "+acme.path+" and the files beside it do not answer") {
		t.Errorf("people were told\n%s", now)
	}
	close(answers)
	scan()
	f.visitNow(t, "acme")
	if now := told(); acme.labels != "region=eu" || !strings.Contains(now, "Firm acme has recovered.") {
		t.Errorf("the firm has the labels %q, and people were told\n%s\n%s", acme.labels, now, said)
	}
	f.lists.open, f.lists.took = map[string]time.Time{f.folder.Dir: time.Now()}, map[string]time.Duration{f.folder.Dir: 4 * time.Second}
	scan() // of a folder that takes as long as before
	if len(f.firms) != 2 || f.empty != nil {
		t.Errorf("%d firms are known, %v", len(f.firms), f.empty)
	}
}
