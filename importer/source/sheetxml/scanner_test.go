package sheetxml

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// tokensOf writes the tokens of a document: (name …) for elements, 'text' for character data.
func tokensOf(in io.Reader) (string, error) {
	s, err := NewScanner(in)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for {
		token, err := s.Next()
		if err != nil {
			return b.String(), err
		}
		switch token {
		case EOF:
			return b.String(), nil
		case Start:
			b.WriteString("(" + string(s.Name))
			if err := s.Attributes(func(name, value []byte) error {
				fmt.Fprintf(&b, " %s=%s", name, value)
				return nil
			}); err != nil {
				return b.String(), err
			}
		case End:
			b.WriteString(")")
		case Text:
			text, err := s.AppendText(nil)
			if err != nil {
				return b.String(), err
			}
			fmt.Fprintf(&b, "'%s'", text)
		}
	}
}

func TestXMLTokens(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"nested elements", `<a><b>x</b><c/></a>`, "(a(b'x')(c))"},
		{"prefixes are left out", `<x:a xmlns:x="u"><x:b/></x:a>`, "(a xmlns:x=u(b))"},
		{"attributes in both quotes, with blanks and brackets", "<a p = \"1>2\"\n q='\"'/>", `(a p=1>2 q=")`},
		{"references", `<a>&lt;&amp;&#65;&#x42;&quot;&apos;&gt;</a>`, `(a'<&AB"'>')`},
		{"line ends", "<a>1\r\n2\r3&#13;4</a>", "(a'1\n2\n3\r4')"},
		{"character data sections", `<a><![CDATA[<b>&amp;]]></a>`, "(a'<b>&amp;')"},
		{"comments and instructions", `<?xml version="1.0"?><!-- <x> --><a><!-- - --><?p <q>?>t</a>` + "\n", "(a't')"},
		{"a mark before UTF-8", "\xef\xbb\xbf<a>é</a>", "(a'é')"},
		{"UTF-16", "\xff\xfe<\x00a\x00>\x00\xe9\x00<\x00/\x00a\x00>\x00", "(a'é')"},
		{"UTF-16, big-endian", "\xfe\xff\x00<\x00a\x00>\x00\xe9\x00<\x00/\x00a\x00>", "(a'é')"},
		{"a declared encoding", "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>", "(a'é')"},
		{"an end tag with a blank", "<a></a >", "(a)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in)), iotest.DataErrReader(strings.NewReader(test.in))} {
				got, err := tokensOf(in)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestXMLThatIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     error
	}{
		{"a document type", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, errDoctype},
		{"an entity bomb's declaration inside", `<a><!ENTITY b "c"></a>`, errDoctype},
		{"an unknown entity", `<a>&b;</a>`, errMalformedXML},
		{"a reference without an end", `<a>&amp</a>`, errMalformedXML},
		{"a reference to no character", `<a>&#xD800;</a>`, errMalformedXML},
		{"a reference to nothing", `<a>&#0;</a>`, errMalformedXML},
		{"a missing end tag", `<a><b></b>`, errTruncatedXML},
		{"a cut tag", `<a><b x="`, errTruncatedXML},
		{"a cut end tag", `<a></a`, errTruncatedXML},
		{"a cut comment", `<a><!-- `, errTruncatedXML},
		{"nothing", ``, errTruncatedXML},
		{"blanks", " \n ", errTruncatedXML},
		{"a wrong end tag", `<a><b></a></b>`, errMalformedXML},
		{"an end tag too many", `<a></a></b>`, errMalformedXML},
		{"a second root", `<a/><b/>`, errMalformedXML},
		{"text outside", `x<a/>`, errMalformedXML},
		{"text behind", `<a/>x`, errMalformedXML},
		{"an unquoted attribute", `<a b=c/>`, errMalformedXML},
		{"an attribute without a value", `<a b/>`, errMalformedXML},
		{"a bracket inside a tag", `<a <b/>`, errMalformedXML},
		{"an element without a name", `<>`, errMalformedXML},
		{"bytes that are no UTF-8", "<a>\xff</a>", errNotUTF8},
		{"bytes that are no UTF-8 in a section", "<a><![CDATA[\xff]]></a>", errNotUTF8},
		{"deep nesting", strings.Repeat("<a>", maxDepth+1), errDeepXML},
		{"a long text", "<a>" + strings.Repeat("x", MaxToken+1) + "</a>", ErrLong},
		{"a long tag", "<a b='" + strings.Repeat("x", MaxToken+1) + "'/>", ErrLong},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, err := tokensOf(strings.NewReader(test.in)); !errors.Is(err, test.want) {
				t.Errorf("got %.100s and error %v, want error %v", got, err, test.want)
			}
		})
	}
	if _, err := NewScanner(strings.NewReader(`<?xml version="1.0" encoding="klingon"?><a/>`)); err == nil {
		t.Error("an unknown encoding is accepted")
	}
	if _, err := tokensOf(io.MultiReader(strings.NewReader("<a>"), iotest.ErrReader(io.ErrClosedPipe))); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a failing file gives %v", err)
	}
}

func TestTheWindowGrowsOnlyForLongTokens(t *testing.T) {
	t.Parallel()
	s, err := NewScanner(strings.NewReader("<a>" + strings.Repeat("<b>x</b>", 100_000) + "</a>"))
	if err != nil {
		t.Fatal(err)
	}
	for token := Start; token != EOF; {
		if token, err = s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.window) != windowBytes {
		t.Errorf("the window grew to %d bytes for a long document of short tokens", len(s.window))
	}
}
