package sandbox

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openedStore(t *testing.T) *store {
	t.Helper()
	s, err := openStore(filepath.Join(t.TempDir(), "s.db"), "OFF")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-s.idle:
		default:
			go s.write() // close waits for its end
		}
		_ = s.close()
	})
	return s
}

func aJob(seq int64, w work) *job {
	return &job{entry: Request{Seq: seq, At: time.Unix(0, 0), Operation: CreateCase}, work: w, done: make(chan error, 1)}
}

func lines(t *testing.T, s *store, table string) (n int) {
	t.Helper()
	if err := s.reader.QueryRowContext(t.Context(), `select count(*) from `+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOneBadJobTakesNoOtherWithIt commits three jobs together, the second of which fails after it has written.
func TestOneBadJobTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	s := openedStore(t)
	create := func(t *tx) (answer, error) {
		_, err := t.insertCase(caseRow{Number: "1"})
		return answer{status: 201, acted: true}, err
	}
	fail := func(t *tx) (answer, error) {
		_, err := create(t)
		return answer{}, errors.Join(err, errors.New("no more"))
	}
	batch := []*job{aJob(1, create), aJob(2, fail), aJob(3, create)}
	s.commit(batch)
	for i, want := range []string{"", "no more", ""} {
		err := <-batch[i].done
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("job %d: %v, want %q", i+1, err, want)
		}
	}
	if cases, requests := lines(t, s, "cases"), lines(t, s, "requests"); cases != 2 || requests != 2 {
		t.Errorf("%d cases and %d requests, want 2 and 2", cases, requests)
	}
}

// TestEveryJobOfABatchIsInOneTransaction looks from outside at what is there while the last job of a batch runs.
func TestEveryJobOfABatchIsInOneTransaction(t *testing.T) {
	t.Parallel()
	s := openedStore(t)
	seen := -1
	look := func(*tx) (answer, error) {
		err := s.reader.QueryRowContext(t.Context(), `select count(*) from requests`).Scan(&seen)
		return answer{}, err
	}
	batch := []*job{aJob(1, nil), aJob(2, nil), aJob(3, look)}
	s.commit(batch)
	for _, j := range batch {
		if err := <-j.done; err != nil {
			t.Fatal(err)
		}
	}
	if after := lines(t, s, "requests"); seen != 0 || after != 3 {
		t.Errorf("%d seen before the commit, %d after; want 0 and 3", seen, after)
	}
}

func TestClosingWritesWhatWaits(t *testing.T) {
	t.Parallel()
	s := openedStore(t)
	jobs := make([]*job, 600)
	for i := range jobs {
		jobs[i] = aJob(int64(i+1), nil)
		s.jobs <- jobs[i]
	}
	s.once.Do(func() { close(s.closed) })
	s.write()
	for i, j := range jobs {
		select {
		case err := <-j.done:
			if err != nil {
				t.Fatalf("job %d: %v", i+1, err)
			}
		default:
			t.Fatalf("job %d was left behind", i+1)
		}
	}
	if err := s.run(context.Background(), aJob(601, nil)); !errors.Is(err, errClosed) {
		t.Errorf("a job after the end: %v, want %v", err, errClosed)
	}
	if n := lines(t, s, "requests"); n != 600 {
		t.Errorf("%d requests, want 600", n)
	}
}

func TestNewerDataIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	server, err := Open(Options{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.store.tx.exec(`pragma user_version = 2`); err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Data: path}); err == nil || !strings.Contains(err.Error(), "newer version (format 2)") {
		t.Errorf("opening newer data: %v", err)
	}
}
