package inbox

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"slices"
)

// unpackLimit is how much of a compressed file is unpacked to see that it is whole. What holds more is for the reader of
// the file to judge.
const unpackLimit = 4 << 30

// complete tells whether a file is whole as far as its format can tell: a zip archive, which workbooks are, has its
// directory at its end, and a gzip file ends with a sum. A text file should end with a line break where ended says that those
// before it did, and cannot tell otherwise. A file that cannot be read now (another
// program may have locked it) is not complete yet.
func complete(path string, ended bool) bool {
	file, err := openPlain(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var head [4]byte
	n, err := io.ReadFull(file, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false
	}
	info, err := file.Stat()
	if err != nil {
		return false
	}
	switch start := string(head[:n]); {
	case n == 4 && (start == "PK\x03\x04" || start == "PK\x05\x06"):
		return wholeZip(file, info.Size())
	case n >= 2 && start[:2] == "\x1f\x8b":
		return wholeGzip(file)
	case ended && n >= 2 && start[:2] != "\xd0\xcf": // the older workbooks are no text
		return endsLine(file, info.Size())
	}
	return true
}

// endsLine tells whether a text file ends with a line break, of whatever width its characters are.
func endsLine(file *os.File, size int64) bool {
	const widest = 4
	last := make([]byte, min(widest, size))
	if _, err := file.ReadAt(last, size-int64(len(last))); err != nil {
		return false
	}
	last = bytes.TrimRight(last, "\x00\x1a")
	return bytes.HasSuffix(last, []byte{'\n'}) || bytes.HasSuffix(last, []byte{'\r'})
}

func wholeZip(file *os.File, size int64) bool {
	archive, err := zip.NewReader(file, size)
	return err == nil && !slices.ContainsFunc(archive.File, func(member *zip.File) bool {
		_, err := member.DataOffset()
		return err != nil
	})
}

func wholeGzip(file *os.File) bool {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false
	}
	in, err := gzip.NewReader(file)
	if err != nil {
		return false
	}
	_, err = io.CopyN(io.Discard, in, unpackLimit)
	return err == nil || err == io.EOF
}
