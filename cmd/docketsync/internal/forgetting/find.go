package forgetting

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// leastBytes is the least length of a word that is looked for in files: shorter ones occur in every file.
const leastBytes = 4

// finder looks for many words at once, as texts, JSON, XML and old workbooks spell them.
type finder struct {
	begins map[[leastBytes]byte][][]byte
	most   int // bytes of the longest
}

func newFinder(words []string) *finder {
	f := &finder{begins: map[[leastBytes]byte][][]byte{}}
	for _, word := range words {
		quoted, _ := json.Marshal(word)
		var escaped bytes.Buffer
		_ = xml.EscapeText(&escaped, []byte(word))
		var wide []byte
		for _, unit := range utf16.Encode([]rune(word)) {
			wide = append(wide, byte(unit), byte(unit>>8))
		}
		for _, way := range [][]byte{[]byte(word), quoted[1 : len(quoted)-1], escaped.Bytes(), wide} {
			if len(word) < leastBytes {
				continue
			}
			begin := [leastBytes]byte(way)
			f.begins[begin] = append(f.begins[begin], way)
			f.most = max(f.most, len(way))
		}
	}
	return f
}

// chunk is how much of a file is in memory at once.
const chunk = 1 << 20

// in reports whether any of the words occurs in what is read, as a whole word.
func (f *finder) in(read io.Reader) (bool, error) {
	around := f.most + utf8.UTFMax
	data := make([]byte, 0, chunk+2*around)
	for from := 0; ; {
		n, err := io.ReadFull(read, data[len(data):cap(data)])
		data = data[:len(data)+n]
		end := err != nil
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return false, err
		}
		to := len(data)
		if !end {
			to -= around
		}
		for at := from; at < to; at++ {
			if f.at(data, at) {
				return true, nil
			}
		}
		if end {
			return false, nil
		}
		kept := max(0, to-utf8.UTFMax)
		from = to - kept
		data = data[:copy(data, data[kept:])]
	}
}

// at reports whether a word is at a position.
func (f *finder) at(data []byte, at int) bool {
	if at+leastBytes > len(data) {
		return false
	}
	for _, word := range f.begins[[leastBytes]byte(data[at:])] {
		if bytes.HasPrefix(data[at:], word) && alone(data[:at], word, data[at+len(word):]) {
			return true
		}
	}
	return false
}

// alone reports whether no letter or digit touches a word on either side. The second byte of a wide letter does not
// count.
func alone(before, word, behind []byte) bool {
	in := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	last, _ := utf8.DecodeLastRune(before)
	first, _ := utf8.DecodeRune(behind)
	begin, _ := utf8.DecodeRune(word)
	end, _ := utf8.DecodeLastRune(word)
	escaped := len(before) > 1 && before[len(before)-2] == '\\' // as \n or \t before it in JSON
	return !(in(last) && in(begin) && !escaped) && !(in(first) && in(end))
}

// inFile reports whether any of the words occurs in a file, or in a member of an archive, which workbooks are.
func (f *finder) inFile(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	if archive, err := zip.NewReader(file, info.Size()); err == nil {
		for _, member := range archive.File {
			if found, err := f.inMember(member); found || err != nil {
				return found, err
			}
		}
		return false, nil
	}
	if packed, err := gzip.NewReader(file); err == nil {
		return f.in(packed)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	return f.in(file)
}

func (f *finder) inMember(member *zip.File) (bool, error) {
	open, err := member.Open()
	if err != nil {
		return false, err
	}
	defer open.Close()
	return f.in(open)
}
