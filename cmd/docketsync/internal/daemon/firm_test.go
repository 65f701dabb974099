package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/schedule"
)

// boxes are the inboxes of jobs, each NAME=FOLDER.
func boxes(jobs ...string) []*polledInbox {
	c := &config.Config{}
	for _, text := range jobs {
		name, folder, _ := strings.Cut(text, "=")
		c.Jobs = append(c.Jobs, config.Job{Name: name, Source: config.Source{Inbox: &config.Inbox{Folder: folder, Files: config.Names{"*.csv"}}}})
	}
	return polledInboxes(&installation.Installation{Config: c})
}

// TestInboxesOfAChangedConfiguration gives a firm another configuration: every job looks into its own folder, with what was seen of it and of no other.
func TestInboxesOfAChangedConfiguration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ after, kept []string }{
		"nothing":               {[]string{"cases=a", "marks=b"}, []string{"cases", "marks"}},
		"another order":         {[]string{"marks=b", "cases=a"}, []string{"cases", "marks"}},
		"one is removed":        {[]string{"marks=b"}, []string{"marks"}},
		"one is added in front": {[]string{"new=c", "cases=a", "marks=b"}, []string{"cases", "marks"}},
		"another folder":        {[]string{"cases=c", "marks=b"}, []string{"marks"}},
		"folders are exchanged": {[]string{"cases=b", "marks=a"}, nil},
		"all are removed":       {nil, nil},
	} {
		of := &firm{inboxes: boxes("cases=a", "marks=b")}
		known := map[*polledInbox]string{of.inboxes[0]: "cases", of.inboxes[1]: "marks"}
		got, kept := of.seen(boxes(c.after...)), 0
		if len(got) != len(c.after) {
			t.Fatalf("%s: %d inboxes", name, len(got))
		}
		for n, box := range got {
			if is := box.job.Name + "=" + box.folder.Path; is != c.after[n] {
				t.Errorf("%s: %s, not %s", name, is, c.after[n])
			}
			if was := known[box]; was != "" {
				if kept++; was != box.job.Name {
					t.Errorf("%s: %s has what was seen for %s", name, box.job.Name, was)
				}
			}
		}
		if kept != len(c.kept) {
			t.Errorf("%s: what was seen of %d inboxes is kept, not of %v", name, kept, c.kept)
		}
	}
}

// TestAFirmThatFailsWaits has a visit fail while a file is there: the firm waits its minute, whatever lies in its inbox, and keeps no other waiting.
func TestAFirmThatFailsWaits(t *testing.T) {
	t.Parallel()
	of := &firm{going: true, inboxes: boxes("cases=a")}
	of.inboxes[0].arrived = true
	of.ended(time.Now(), schedule.Timetable{}, false, fault.ErrBusy)
	look := func(*polledInbox, bool, time.Duration) { t.Error("it looks into the inbox") }
	if due, at := of.due(time.Now(), look); due || !at.Equal(of.next) {
		t.Errorf("due %v at %s, not at %s", due, at, of.next)
	}
	if due, _ := of.due(of.next, look); !due {
		t.Error("it is not visited again after a minute")
	}
}

// labelled is a fleet with one firm, of a process that has labels, and where its configuration stands.
func labelled(t *testing.T, labels map[string]string) (f *fleet, of *firm, write func(text string)) {
	dir := t.TempDir()
	path := filepath.Join(dir, "acme", config.FirmFile)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	setup := &installation.Setup{Screen: &terminal.Screen{}, Env: func(name string) (string, bool) {
		t.Errorf("the secret %s is fetched", name)
		return "", false
	}}
	f = &fleet{setup: setup, folder: &firms.Folder{Setup: setup, Dir: dir, Labels: labels, Log: zap.NewNop()}, firms: map[string]*firm{}}
	of = f.firm("acme")
	f.firms["acme"] = of
	stamp := time.Now()
	return f, of, func(text string) {
		t.Helper()
		stamp = stamp.Add(time.Second)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
}

const secretOfAFirm = "service: {base_url: https://service.example, subscription_key: {env: ACME_KEY}}\n"

// TestLabelsAreReadBeforeSecrets adds labels to a firm that a node without them serves: neither its next visit nor a part of its run touches a secret,
// even if the change was not noticed before.
func TestLabelsAreReadBeforeSecrets(t *testing.T) {
	t.Parallel()
	f, of, write := labelled(t, map[string]string{"region": "us"})
	write("jobs: []\n")
	of.changed(of.look(f.setup.Env), time.Now())
	if !f.serves(of) {
		t.Fatal("a firm that demands nothing is not served")
	}
	write("labels: {region: eu}\n" + secretOfAFirm)
	of.going = true
	if _, err := f.installation(t.Context(), of); !errors.As(err, new(*firms.ElsewhereError)) || !strings.Contains(err.Error(), "region=eu") {
		t.Errorf("a visit: %v", err)
	}
	if _, err := f.open(t.Context(), "acme"); !errors.As(err, new(*firms.ElsewhereError)) {
		t.Errorf("a part of a run: %v", err)
	}
	if of.going = false; of.labels != "region=eu" || f.serves(of) {
		t.Errorf("the firm demands %q", of.labels)
	}
	if _, err := f.open(t.Context(), "../acme"); err == nil || !strings.Contains(err.Error(), "not the name of a firm") {
		t.Errorf("a name that is a path: %v", err)
	}
}

// TestFirmsOfAFolderAreTakenUp has one process find which firms there are: one that is gone, and one that nobody serves as it demands a label, are named, and
// firms whose labels nobody demands any more are not led any more.
func TestFirmsOfAFolderAreTakenUp(t *testing.T) {
	t.Parallel()
	f, of, write := labelled(t, nil)
	write("labels: {region: eu}\n" + secretOfAFirm)
	f.firms["birch"] = f.firm("birch")
	ended := false
	f.groups = map[string]context.CancelFunc{"": func() { ended = true }}
	names, seen, err := f.look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone, refused, _ := f.take(t.Context(), names, seen)
	if !slices.Equal(gone, []string{"birch"}) || !slices.Equal(refused, []*firm{of}) || !ended || len(f.groups) > 0 {
		t.Errorf("gone %v, refused %v, the others are led: %v", gone, refused, !ended)
	}
	if err := os.Remove(of.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(config.FirmFile, of.path); err != nil { // to itself: it is neither read nor missing
		t.Skip(err) // Windows, without the right to
	}
	if names, seen, err = f.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if gone, refused, _ = f.take(t.Context(), names, seen); len(gone) > 0 || !slices.Equal(refused, []*firm{of}) || !of.unread {
		t.Errorf("of a firm that cannot be looked at: gone %v, refused %v", gone, refused)
	}
	if fresh := f.firm("acme").look(f.setup.Env); fresh.err == nil {
		t.Error("who does not know the firm yet does not find out what is wrong")
	}
}

// TestLabelsOutlastAFileThatCannotBeRead has a file be half written when it is looked at: the firm stays with the nodes that may serve it, and the file is read
// again even if nothing tells that it changed.
func TestLabelsOutlastAFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f, of, write := labelled(t, map[string]string{"region": "us"})
	write("labels: {region: eu}\n" + secretOfAFirm)
	of.changed(of.look(f.setup.Env), time.Now())
	write("labels: {region: e")
	l := of.look(f.setup.Env)
	of.changed(l, time.Now())
	if l.err == nil || of.labels != "region=eu" || f.serves(of) {
		t.Errorf("%v: the firm demands %q", l.err, of.labels)
	}
	if _, err := f.installation(t.Context(), of); err == nil || errors.As(err, new(*firms.ElsewhereError)) {
		t.Errorf("a visit: %v", err)
	}
	of.changed(looked{stamp: l.stamp, read: of.look(f.setup.Env).read, demands: map[string]string{"region": "us"}}, time.Now())
	if of.labels != "region=us" || of.unread {
		t.Errorf("the file is not read again: %q", of.labels)
	}
}
