package sandbox

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatFailsLeavesNothing does half of the work and then fails: neither the work nor its line of the log may stay.
func TestWhatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	s, err := openStore(filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	request := func(seq int64, fault error) error {
		return s.update(func(t tx) error {
			_, err := t.saveCase(Case{Number: "1"})
			return errors.Join(err, t.insertRequest(Request{Seq: seq}), fault)
		})
	}
	if err := errors.Join(request(1, nil), request(3, nil)); err != nil {
		t.Fatal(err)
	}
	if err := request(2, errors.New("no more")); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Error(err)
	}
	var made, logged int
	if err := s.reader.QueryRow(`select (select count(*) from cases), (select count(*) from requests)`).Scan(&made, &logged); err != nil || made != 2 || logged != 2 {
		t.Errorf("%d cases and %d requests, want 2 and 2: %v", made, logged, err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if err := request(4, nil); !errors.Is(err, errClosed) {
		t.Errorf("after the end: %v, want %v", err, errClosed)
	}
}

func TestNewerDataIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	server, err := Open(Options{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.store.db.Exec(`pragma user_version = 2`); err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Data: path}); err == nil || !strings.Contains(err.Error(), "newer version (format 2)") {
		t.Errorf("opening newer data: %v", err)
	}
}
