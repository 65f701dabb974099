package remote

import (
	"context"
	"hash"
	"io"
	"os"
	"time"
)

// Server is where a remote is and how to sign in there: SFTP or S3.
type Server interface {
	// connect signs in. The connection ends with Close, and with ctx.
	connect(ctx context.Context) (store, error)
}

// store is a connection to a server. Paths begin with a slash. Errors that trying again cannot help are *Error.
type store interface {
	// list returns the files of a folder whose names begin with prefix.
	list(ctx context.Context, dir, prefix string) ([]entry, error)
	// stat returns what the server knows of one file.
	stat(ctx context.Context, path string) (entry, error)
	// fetch writes the content of a file.
	fetch(ctx context.Context, e entry, to io.Writer) error
	// put writes a file of size bytes in one step: who lists the folder sees it whole or not at all.
	put(ctx context.Context, path string, from *os.File, size int64) error
	close() error
}

// entry is a file on a server, as it was at one moment.
type entry struct {
	path     string
	size     int64
	modified time.Time
	version  string     // changes with the content; "" where the server has none
	sums     []checksum // of the whole content, as far as the server keeps them
}

// checksum is one that the server keeps.
type checksum struct {
	name string
	hash hash.Hash
	want string // as text makes it
	text func([]byte) string
}

// sameAs tells whether two looks saw one state of a file.
func (e entry) sameAs(other entry) bool {
	return e.size == other.size && e.modified.Equal(other.modified) && e.version == other.version
}
