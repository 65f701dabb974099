package sheetxml

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
)

// Faults of an XML part. They become an Error that names the file, the part and what to do.
var (
	errTruncatedXML = errors.New("it ends in the middle")
	errMalformedXML = errors.New("it is not well-formed XML")
	errDoctype      = format.Harm("it declares a document type, which workbooks never do and attacks do")
	ErrLong         = format.Harm(fmt.Sprintf("one cell or tag is longer than %d MiB", MaxToken>>20))
	errDeepXML      = format.Harm(fmt.Sprintf("its elements are nested more than %d deep", maxDepth))
	errNotUTF8      = errors.New("it holds bytes that are no UTF-8")
)

const (
	// MaxToken limits one tag or one run of text. Spreadsheets allow 32,767 characters in a cell.
	MaxToken    = 4 << 20
	maxDepth    = 200
	windowBytes = 64 << 10
)

type Token uint8

const (
	End   Token = iota // an element ends; also reported for <a/>, right after its start
	Start              // an element starts: name and attributes are set
	Text               // character data: text is set, undecoded
	EOF                // the document has ended, and was well-formed
)

// Scanner reads XML as a stream of tokens, without namespaces: elements are identified by their local names, which
// strict, transitional and oddly prefixed workbooks have in common. It allocates nothing per token and holds at most
// one. Document types are refused, so the only entities are XML's own five. Slices that it returns are valid until the
// next token.
type Scanner struct {
	in         io.Reader
	window     []byte
	at, filled int

	Name  []byte // local name of the element that starts or ends
	attrs []byte // the text between the name and the end of the start tag
	text  []byte
	cdata bool // text must be taken as it is

	decoded map[string]string // attributes, see Decoded

	open       []byte // full names of the open elements, one after the other
	openLength []int
	closing    bool // the last start tag was <a/>
	rooted     bool
}

// NewScanner determines the encoding from the beginning of the document: UTF-8, UTF-16 with a mark, or the declared
// one.
func NewScanner(in io.Reader) (*Scanner, error) {
	b := bufio.NewReaderSize(in, 512)
	head, err := b.Peek(200)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	s := &Scanner{in: b, window: make([]byte, windowBytes), decoded: map[string]string{}}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err = b.Discard(3)
		return s, err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		s.in = transform.NewReader(b, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
		return s, nil
	}
	if label := declaredEncoding(head); label != "" && label != "utf-8" && label != "us-ascii" {
		encoding, err := htmlindex.Get(label)
		if err != nil {
			return nil, fmt.Errorf("it declares the unknown encoding %q", label)
		}
		s.in = transform.NewReader(b, encoding.NewDecoder())
	}
	return s, nil
}

func declaredEncoding(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	declaration, _, _ := bytes.Cut(head, []byte("?>"))
	_, value, found := bytes.Cut(declaration, []byte("encoding="))
	if !found || len(value) < 2 {
		return ""
	}
	label, _, _ := bytes.Cut(value[1:], value[:1])
	return string(bytes.ToLower(label))
}

// Next returns the next token. It skips comments and processing instructions.
func (s *Scanner) Next() (Token, error) {
	if s.closing {
		s.closing = false
		return End, s.pop(nil)
	}
	for {
		if s.at == s.filled {
			if err := s.fill(); errors.Is(err, io.EOF) && (len(s.openLength) > 0 || !s.rooted) {
				return EOF, errTruncatedXML
			} else if errors.Is(err, io.EOF) {
				return EOF, nil
			} else if err != nil {
				return EOF, err
			}
		}
		if s.window[s.at] != '<' {
			if blank, err := s.characters(); err != nil || !blank {
				return Text, err
			}
			continue
		}
		if err := s.need(2); err != nil {
			return EOF, truncated(err)
		}
		switch s.window[s.at+1] {
		case '?':
			if err := s.passOver("?>"); err != nil {
				return EOF, err
			}
		case '!':
			if isText, err := s.declaration(); err != nil || isText {
				return Text, err
			}
		case '/':
			return End, s.endTag()
		default:
			return Start, s.startTag()
		}
	}
}

// fill reads more input after the unread part of the window, which begins at s.at. It returns io.EOF if there is none.
func (s *Scanner) fill() error {
	if s.at > 0 {
		copy(s.window, s.window[s.at:s.filled])
		s.filled -= s.at
		s.at = 0
	}
	if s.filled == len(s.window) {
		if len(s.window) >= MaxToken {
			return ErrLong
		}
		s.window = append(s.window, make([]byte, len(s.window))...)
	}
	n, err := io.ReadAtLeast(s.in, s.window[s.filled:], 1)
	s.filled += n
	return err
}

func (s *Scanner) need(n int) error {
	for s.filled-s.at < n {
		if err := s.fill(); err != nil {
			return err
		}
	}
	return nil
}

// until reads until the window contains the mark, searching from two characters after s.at, where the opening
// characters end. It returns the position of the mark relative to s.at.
func (s *Scanner) until(mark string) (int, error) {
	for offset := 2; ; {
		if offset <= s.filled-s.at {
			if i := bytes.Index(s.window[s.at+offset:s.filled], []byte(mark)); i >= 0 {
				return offset + i, nil
			}
			offset = max(offset, s.filled-s.at-len(mark)+1)
		}
		if err := s.fill(); err != nil {
			return 0, truncated(err)
		}
	}
}

// characters takes the text up to the next tag. Text outside the root element must be blank.
func (s *Scanner) characters() (blank bool, err error) {
	offset := 0
	for {
		if i := bytes.IndexByte(s.window[s.at+offset:s.filled], '<'); i >= 0 {
			offset += i
			break
		}
		offset = s.filled - s.at
		if err := s.fill(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return false, err
		}
	}
	s.text, s.cdata = s.window[s.at:s.at+offset], false
	s.at += offset
	if len(s.openLength) > 0 {
		return false, nil
	}
	if len(bytes.TrimSpace(s.text)) > 0 {
		return false, errMalformedXML
	}
	return true, nil
}

func (s *Scanner) passOver(mark string) error {
	end, err := s.until(mark)
	if err == nil {
		s.at += end + len(mark)
	}
	return err
}

// declaration takes what starts with "<!": a comment; a CDATA section, which is text; or a DOCTYPE, which is refused.
func (s *Scanner) declaration() (isText bool, err error) {
	if err := s.need(4); err != nil {
		return false, truncated(err)
	}
	switch head := s.window[s.at : s.at+4]; {
	case string(head) == "<!--":
		s.at += 2
		return false, s.passOver("-->")
	case string(head) == "<![C":
		end, err := s.until("]]>")
		if err != nil {
			return false, err
		}
		const opening = len("<![CDATA[")
		if end < opening || len(s.openLength) == 0 {
			return false, errMalformedXML
		}
		s.text, s.cdata = s.window[s.at+opening:s.at+end], true
		s.at += end + 3
		return true, nil
	}
	return false, errDoctype
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) {
		return errTruncatedXML
	}
	return err
}

// Depth returns how many elements are open.
func (s *Scanner) Depth() int { return len(s.openLength) }

// Children calls do at the start of each element inside the one that has just started, up to its end, or inside the
// document if none has. Content that do does not read is skipped, except for the elements in it.
func (s *Scanner) Children(do func() error) error {
	for depth := s.Depth(); ; {
		token, err := s.Next()
		if err != nil || token == EOF || token == End && s.Depth() < depth {
			return err
		}
		if token == Start {
			if err := do(); err != nil {
				return err
			}
		}
	}
}

// Skip skips the rest of the element that has just started.
func (s *Scanner) Skip() error { return s.Children(func() error { return nil }) }

// SkipWithout is Skip for an unknown element. It is an error if an element of that name is inside: rows, or cells,
// would be left out silently.
func (s *Scanner) SkipWithout(name, called string) error {
	around := string(s.Name)
	return s.Children(func() error {
		if string(s.Name) != name {
			return nil
		}
		return &format.Error{What: fmt.Sprintf("%s of the sheet stand in an element %q, which docketsync does not read", called, around), Hint: format.HintRepair}
	})
}

// Read calls do at the start of each element of a part of an archive, and reads the part to its end. Errors name the
// part.
func Read(ctx context.Context, parts *archive.Archive, name string, limit uint64, do func(*Scanner) error) error {
	in, err := parts.Part(ctx, name, limit)
	if err == nil {
		defer in.Close()
		var xml *Scanner
		if xml, err = NewScanner(in); err == nil {
			err = xml.Children(func() error { return do(xml) })
		}
	}
	if err != nil {
		return format.PartFault(name, err)
	}
	return nil
}

// mostCounted is what Digits returns for every larger number; no count or position in a sheet comes near it.
const mostCounted = 1_000_000_000

// Digits reads a decimal number, a billion at most. It returns 0 for anything that is not a number.
func Digits(text []byte) int {
	n := 0
	for _, c := range text {
		if !format.IsDigit(c) {
			return 0
		}
		n = min(n*10+int(c-'0'), mostCounted)
	}
	return n
}
