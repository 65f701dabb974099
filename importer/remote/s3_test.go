package remote_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/importer/remote"
	"docketsync/importer/remote/servertest"
)

func sshAddress(s *servertest.SSH) string { return fmt.Sprintf("%s:%d", s.Host, s.Port) }

func bucket(s *servertest.S3) remote.S3 {
	return remote.S3{Endpoint: s.Endpoint, Region: s.Region, Bucket: s.Bucket, AccessKey: s.AccessKey, SecretKey: s.SecretKey}
}

// upload puts files into the bucket the way that everybody does.
func upload(t *testing.T, s *servertest.S3, to string, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text, march)
	}
	if err := courier(bucket(s)).Upload(t.Context(), dir, to); err != nil {
		t.Fatal(err)
	}
}

func TestS3FetchesTheNewestOfAPattern(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/out", map[string]string{"matters-1.csv": "old", "matters-2.csv": "new", "marks.csv": "other"})
	upload(t, s, "/out/deeper", map[string]string{"matters-3.csv": "not in this folder"})
	// The server tells the time of the file that it keeps.
	for name, at := range map[string]time.Time{"matters-1.csv": march.AddDate(0, 0, 1), "matters-2.csv": march, "marks.csv": march.AddDate(0, 0, 2)} {
		if err := os.Chtimes(filepath.Join(s.Dir, "out", name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	spool := t.TempDir()
	got, err := courier(bucket(s)).Fetch(t.Context(), "/out/matters*.csv", spool)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"matters-1.csv": "old"})
	if got.Address != "bank:/out/matters-1.csv" || !got.Modified.Equal(march.AddDate(0, 0, 1)) {
		t.Errorf("fetched %+v", got)
	}
}

func TestS3TakesCopiesOfReports(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	for range 2 {
		upload(t, s, "/reports/run-1", map[string]string{"report.html": "<p>new", "rejects.xlsx": large})
	}
	holds(t, filepath.Join(s.Dir, "reports", "run-1"), map[string]string{"report.html": "<p>new", "rejects.xlsx": large})
}

func TestS3SaysWhatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/", map[string]string{"a.csv": "a"})
	unsigned := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(unsigned.Close)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!DOCTYPE html><html><title>Sign in</title></html>")
	}))
	t.Cleanup(page.Close)
	const secret = "hunter2-hunter2"
	for name, c := range map[string]struct {
		change func(*remote.S3)
		path   string
		want   string
	}{
		"a wrong secret key":                   {change: func(s *remote.S3) { s.SecretKey = secret }, want: "the service denied permission"},
		"a wrong access key":                   {change: func(s *remote.S3) { s.AccessKey = "NOBODY" }, want: "the service rejected the request: No user exists"},
		"a wrong key and a pattern":            {change: func(s *remote.S3) { s.SecretKey = secret }, path: "/*.csv", want: "the service denied permission"},
		"a bucket that is missing":             {change: func(s *remote.S3) { s.Bucket = "nowhere" }, path: "/*.csv", want: "there is no such bucket"},
		"a file that is missing":               {path: "/b.csv", want: "there is no such file"},
		"a pattern that fits nothing":          {path: "/b*.csv", want: "no file there matches b*.csv"},
		"a web page":                           {change: func(s *remote.S3) { s.Endpoint = page.URL }, path: "/*.csv", want: "the service answered with a web page instead of a listing (200 OK)"},
		"a certificate that nobody has signed": {change: func(s *remote.S3) { s.Endpoint = unsigned.URL }, want: "the service's certificate is not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := bucket(s)
			if c.change != nil {
				c.change(&server)
			}
			if c.path == "" {
				c.path = "/a.csv"
			}
			carrier, spool := courier(server), t.TempDir()
			carrier.FirstDelay, carrier.MaxDelay = time.Hour, time.Hour
			_, err := carrier.Fetch(t.Context(), c.path, spool)
			var told *remote.Error
			if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("the error is %v\nwant one that says %q", err, c.want)
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), s.SecretKey) {
				t.Errorf("the secret is in the error: %v", err)
			}
			holds(t, spool, map[string]string{})
		})
	}
}

// TestS3StopsAtAListingThatIsNotComplete has a service that answers the second page of a listing with something else. The
// file of the first page is older than one that the second would name.
func TestS3StopsAtAListingThatIsNotComplete(t *testing.T) {
	t.Parallel()
	const first = `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>` +
		`<Contents><Key>a-1.csv</Key><LastModified>2024-03-01T02:00:00Z</LastModified><Size>1</Size></Contents></ListBucketResult>`
	for name, c := range map[string]struct{ kind, second, want string }{
		"an error":            {"application/xml", "<Error><Code>SlowDown</Code></Error>", "(200 OK, application/xml), but with the error SlowDown"},
		"a web page":          {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"/>`, "with a web page instead of a listing (200 OK)"},
		"other XML":           {"application/xml", "<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>", "not answer with a complete listing (200 OK, application/xml)"},
		"a listing cut short": {"application/xml", "<ListBucketResult><IsTruncated>false</IsTruncated><Contents>", "not answer with a complete listing"},
		"one without an end":  {"application/xml", "<ListBucketResult/>", "not answer with a complete listing"},
		"JSON":                {"application/json", `{"error":"busy"}`, "not answer with a complete listing (200 OK, application/json)"},
		"nothing":             {"text/plain", "", "not answer with a complete listing (200 OK, text/plain)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Last-Modified", "Fri, 01 Mar 2024 02:00:00 GMT")
				if !r.URL.Query().Has("continuation-token") {
					w.Header().Set("Content-Type", "application/xml")
					fmt.Fprint(w, first)
					return
				}
				w.Header().Set("Content-Type", c.kind)
				fmt.Fprint(w, c.second)
			}))
			defer service.Close()
			server := remote.S3{Endpoint: service.URL, Region: "eu-central-1", Bucket: "exports", AccessKey: "A", SecretKey: "S"}
			_, err := courier(server).Look(t.Context(), "/a-*.csv")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "could not be reached") {
				t.Errorf("the error is %v\nwant one that says %q", err, c.want)
			}
		})
	}
}

func wired(t *testing.T, s *servertest.S3) (remote.S3, *wire) {
	wire := newWire(t, s.Address)
	server := bucket(s)
	server.Endpoint = fmt.Sprintf("http://%s:%d", wire.Host, wire.Port)
	return server, wire
}

func TestS3FetchesAgainAfterTheConnectionWasCut(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/", map[string]string{"a.csv": large})
	server, wire := wired(t, s)
	wire.Cut(3<<20, 2)
	spool := t.TempDir()
	if _, err := courier(server).Fetch(t.Context(), "/a.csv", spool); err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"a.csv": large})
}

func TestS3FetchesAgainAfterTheServerFellSilent(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/", map[string]string{"a.csv": large})
	server, wire := wired(t, s)
	server.Stall = time.Second
	wire.When(3<<20, func() { <-t.Context().Done() })
	spool := t.TempDir()
	if _, err := courier(server).Fetch(t.Context(), "/a.csv", spool); err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"a.csv": large})
}

func TestS3NoticesAFileThatIsReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/", map[string]string{"a.csv": large})
	server, wire := wired(t, s)
	wire.When(1<<20, func() { upload(t, s, "/", map[string]string{"a.csv": strings.ToUpper(large)}) })
	spool := t.TempDir()
	if _, err := courier(server).Fetch(t.Context(), "/a.csv", spool); err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"a.csv": strings.ToUpper(large)})
}

func TestS3LooksForAFileThatWasRenamed(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/", map[string]string{"a-1.csv": "one"})
	server, renamed := bucket(s), false
	server.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.Method == http.MethodHead && !renamed {
			renamed = true
			upload(t, s, "/", map[string]string{"a-2.csv": "two"})
			return nil, os.Remove(filepath.Join(s.Dir, "a-1.csv"))
		}
		return nil, nil
	}
	spool := t.TempDir()
	if _, err := courier(server).Fetch(t.Context(), "/a-*.csv", spool); err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"a-2.csv": "two"})
}

func TestS3NoticesContentThatIsNotWhatWasStored(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/", map[string]string{"a.csv": large})
	// The disk of the server lost a byte: size and time are as they were.
	path := filepath.Join(s.Dir, "a.csv")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, "x"+large[1:], info.ModTime())
	spool := t.TempDir()
	_, err = courier(bucket(s)).Fetch(t.Context(), "/a.csv", spool)
	if err == nil || !strings.Contains(err.Error(), "the server keeps") || strings.Contains(err.Error(), "could not be reached") {
		t.Errorf("the error is %v", err)
	}
	holds(t, spool, map[string]string{})
}

func TestS3FetchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := servertest.StartS3(t)
	upload(t, s, "/", map[string]string{"a.csv": large})
	server, wire := wired(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wire.When(1<<20, cancel)
	spool := t.TempDir()
	if _, err := courier(server).Fetch(ctx, "/a.csv", spool); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	holds(t, spool, map[string]string{})
}
