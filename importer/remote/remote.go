// Package remote fetches source files from SFTP servers and S3-compatible buckets, and uploads copies of reports to
// them.
//
// A file is fetched into a local folder before any of it is read, so that reading a million rows three times needs the
// network once, and so that a lost connection cannot look like the end of a file. It is streamed to a hidden name,
// compared with what the server says about it, and renamed into place: a file that is there is complete. It keeps its
// own name and its modification time, by which its age is judged.
//
// An SFTP server shows a file while it is being written, and the part that is there may happen to end with a complete
// line. So a file that was written to within the last 12 hours, or has a time in the future, is looked at again a
// minute later (Courier.Still) and fetched once it has not changed. The limit is that long because the server's clock
// may be wrong, or show the time of another zone. A file that the folder already holds is not waited for again. Only a
// separate name while the file is written (scratch) always protects.
//
// What is compared: the size, always; and that size, time and version are the same after the last byte as before the
// first, because a server hands out a file that is being replaced without saying so. In buckets, also the checksums
// that the server keeps, and its ETag if that is an MD5. A file that differs or was renamed is fetched again, as after
// any other fault that may be temporary (Courier.Tries); a permanent fault (the file does not exist, permission is
// denied, a key is wrong) is reported at once.
//
// Nothing is sent to a server whose identity is not verified: SFTP needs the host key beforehand, from a known_hosts
// file or as a fingerprint, and there is no way to continue without it; S3 needs a certificate that the system trusts,
// except on this machine.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"docketsync/importer/moment"
)

// Server is where a remote is and how to sign in there: SFTP or S3.
type Server interface {
	// connect signs in. The connection ends with close, and with ctx.
	connect(ctx context.Context) (store, error)
}

// store is a connection to a server. Paths begin with a slash. An error is an *Error if trying again cannot help or if
// the server answered with it (see passes).
type store interface {
	// list returns what a folder holds under names that begin with prefix, without the folders in it.
	list(ctx context.Context, dir, prefix string) ([]entry, error)
	// stat returns what the server knows of one file.
	stat(ctx context.Context, path string) (entry, error)
	// fetch writes the content of a file.
	fetch(ctx context.Context, e entry, to io.Writer) error
	// put writes a file of size bytes in one step: whoever lists the folder sees the whole file or nothing.
	put(ctx context.Context, path string, from *os.File, size int64) error
	close() error
}

// entry is a file on a server, as it was at one moment.
type entry struct {
	path     string
	size     int64
	modified time.Time
	version  string     // changes with the content; "" where the server has none
	sums     []checksum // of the whole content, if the server keeps any
	whole    bool       // the server shows a file only when all of it is there
	leads    string     // the path of the file that it leads to if it is a link and the server tells
	fault    error      // why this is no file that can be read, or nil
}

// checksum is a checksum that the server keeps.
type checksum struct {
	name string
	hash hash.Hash
	want string // as text makes it
	text func([]byte) string
}

// sameAs reports whether two looks saw one state of a file.
func (e entry) sameAs(other entry) bool {
	return e.size == other.size && e.modified.Equal(other.modified) && e.version == other.version
}

// pattern splits the path of a source into its folder and the pattern of its name. literal is what all matching names
// begin with. Only * and ? make a pattern.
func pattern(p string) (dir, name, literal string, wild bool) {
	dir, name = path.Split(p)
	literal = name
	if n := strings.IndexAny(name, `*?`); n >= 0 {
		literal, wild = name[:n], true
	}
	return dir, name, literal, wild
}

// asMeant escapes everything but * and ? for path.Match.
var asMeant = strings.NewReplacer(`[`, `\[`, `\`, `\\`)

// shown is the path of a remote file as one line of text.
func shown(path string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '_'
		}
		return r
	}, path)
}

// newest returns the file that was written last among those whose names fit. Names of files that somebody is still
// working on don't count. A file with a time in the future would win every night, so it is refused. So is
// something newest that is no file, such as a link that leads nowhere. rivals are others of the same time, of which
// either could be; a link and the file that it leads to are one.
func newest(files []entry, name string, now time.Time) (last entry, rivals []entry, err error) {
	fitting := slices.DeleteFunc(slices.Clone(files), func(e entry) bool {
		base := path.Base(e.path)
		fits, err := path.Match(asMeant.Replace(name), base)
		return err != nil || !fits || scratch(base)
	})
	if len(fitting) == 0 {
		return entry{}, nil, &Error{What: fmt.Sprintf("no file there matches %s", name),
			Hint: "Check the path, and that the files have been written. Names are case-sensitive."}
	}
	last = slices.MaxFunc(fitting, func(a, b entry) int {
		return cmp.Or(a.modified.Compare(b.modified), strings.Compare(a.path, b.path))
	})
	if last.fault != nil {
		return entry{}, nil, last.fault
	}
	if last.modified.After(now.Add(24 * time.Hour)) {
		return entry{}, nil, &Error{What: fmt.Sprintf("%s was last written on %s, which is in the future, so which file is the newest is not known", shown(path.Base(last.path)), moment.Of(last.modified)),
			Hint: "Check the clocks of this machine and of the one that writes it, then remove that file, or write it again."}
	}
	for _, e := range fitting {
		same := e.path == last.path || e.size == last.size && path.Base(cmp.Or(e.leads, e.path)) == path.Base(cmp.Or(last.leads, last.path))
		if !same && e.modified.Equal(last.modified) {
			rivals = append(rivals, e)
		}
	}
	return last, rivals, nil
}

// copies refuses rivals whose content is not that of the newest file. Servers keep no digests that can be relied on, so
// the files are read.
func copies(ctx context.Context, s store, last entry, rivals []entry, limit int64) error {
	var content []byte
	for n, e := range append([]entry{last}, rivals...) {
		sum, read := sha256.New(), counter{limit: e.size}
		alike := e.fault == nil && e.size == last.size && e.size <= limit
		if alike {
			err := s.fetch(ctx, e, io.MultiWriter(&read, sum))
			if err = cmp.Or(err, agrees(entry{size: e.size}, read.n)); err != nil {
				return moved(err)
			}
		}
		if n == 0 {
			content = sum.Sum(nil)
		} else if !alike || !bytes.Equal(sum.Sum(nil), content) {
			return &Error{What: fmt.Sprintf("%s and %s were last written at the same time, on %s, and differ, so which one is newer is not known",
				shown(path.Base(e.path)), shown(path.Base(last.path)), moment.Second(last.modified)),
				Hint: "Name one of them, or a pattern that matches only one, or upload the newer one again."}
		}
	}
	return nil
}

func scratch(name string) bool {
	low := strings.ToLower(name)
	return strings.HasPrefix(low, ".") || strings.HasPrefix(low, "~") ||
		slices.ContainsFunc([]string{".part", ".partial", ".filepart", ".tmp", ".temp"}, func(end string) bool { return strings.HasSuffix(low, end) })
}

// localName turns the name of a remote file into one that every filesystem accepts.
func localName(remote string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, path.Base(remote))
	return strings.TrimRight(name, ". ")
}

// Error says why a file of a remote is unavailable. Error() says what and where; Hint says what to do. It contains no
// secret.
type Error struct {
	Address string // as the configuration writes it: bank:/out/matters.csv
	What    string
	Hint    string
	Err     error // the cause, or nil if What says it all
	passes  bool  // trying again may help
}

// Error says where, what, and what to do.
func (e *Error) Error() string {
	text := e.What
	if e.Address != "" {
		text = e.Address + ": " + text
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// at fills in the address of an error, and turns anything else into an Error.
func at(err error, address string) error {
	if err == nil {
		return nil
	}
	e, is := errors.AsType[*Error](err)
	if !is {
		return &Error{Address: address, What: "the server could not be reached, or the connection was lost", Err: err,
			Hint: "Check that the server is up and can be reached from this machine, and try again."}
	}
	placed := *e
	placed.Address = address
	return &placed
}

// askOperator is the advice for a fault of the server.
const askOperator = "Try again. If it stays so, ask the server's operator."

const noSuchFile = "there is no such file"

func noFile(err error) error {
	return &Error{What: noSuchFile, Err: err, Hint: "Check the path, and that the file has been written."}
}

// moved turns the error for a file that has disappeared into one that may be tried again: another look may find it
// under another name.
func moved(err error) error {
	if e, is := errors.AsType[*Error](err); is && e.What == noSuchFile {
		return &Error{What: "the file was renamed or removed before it was fetched", Err: e.Err, Hint: "Try again once it is there.", passes: true}
	}
	return err
}

// written is the error for a file that is being written to.
func written(what string) error {
	return &Error{What: what, Hint: "Whoever writes it should write to another name, and rename it when it is complete.", passes: true}
}

// disagreement is the error for a transferred file that is not what the server says it is.
func disagreement(format string, args ...any) error {
	return &Error{What: "the file that arrived is not the one that was sent: " + fmt.Sprintf(format, args...), Hint: askOperator, passes: true}
}
