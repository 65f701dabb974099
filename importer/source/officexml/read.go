package officexml

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/source/format"
)

const (
	// deepest is the maximum nesting of elements: no form reaches thirty.
	deepest = 64
	// mostColumns is the maximum number of columns: no office writes more than a few hundred.
	mostColumns = 2000
)

// mark is a mark being read: the lines of its cells, by column.
type mark struct {
	line  int
	cells map[string][]string
	mixed []string // columns with text beside other elements, so that some of it may be missing
	size  int
}

// reader reads a file from its beginning to its end.
type reader struct {
	decoder *xml.Decoder
	in      *limited
	limits  format.Limits
	path    []string // of the open elements
	inside  []inside // state of the open elements
	from    int      // how many of them enclose the mark, including its own element; 0 outside a mark
	text    []byte   // of all of them
	mark    mark
	class   class
	marks   int
	root    string
}

// inside is the state of an open element.
type inside struct {
	begins   int  // where its text begins in that of the reader
	parent   bool // it has child elements
	goods    int  // its index among the goods of its class, -1 if it is not one
	emphasis bool
}

// class is a class being read.
type class struct {
	open   int // how many elements were open when it began, including itself; 0 outside a class
	number string
	goods  []goods
}

type goods struct{ language, text string }

// limited provides at most left bytes for one token, which the decoder holds in memory as a whole.
type limited struct {
	in   io.Reader
	left int
	over bool
}

var errTooLarge = errors.New("too large")

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		l.over = true
		return 0, errTooLarge
	}
	n, err := l.in.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

func newReader(in io.Reader, limits format.Limits) *reader {
	l := &limited{in: in}
	d := xml.NewDecoder(l)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is already decoded
	return &reader{decoder: d, in: l, limits: limits}
}

// fault returns an error at the reader's current position.
func (r *reader) fault(hint, what string, args ...any) error {
	line, _ := r.decoder.InputPos()
	row := 0
	if r.from > 0 {
		row = r.marks + 2
	}
	return &format.Error{What: fmt.Sprintf(what, args...), Row: row, Line: line, Hint: hint}
}

const (
	hintDamaged = "Check that the file is complete, and fetch or export it again."
	hintHostile = "No office writes such a file. Do not use it, unless you know where it comes from; then convert it to .csv."
)

// each calls do for every mark until do fails.
func (r *reader) each(ctx context.Context, do func(*mark) error) error {
	for tokens := 0; ; tokens++ {
		if tokens%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.in.left = r.limits.Record
		token, err := r.decoder.RawToken()
		switch {
		case errors.Is(err, io.EOF) && len(r.path) == 0 && r.root != "":
			return nil
		case errors.Is(err, io.EOF):
			return r.fault(hintDamaged, "the file ends within an element; it was cut off")
		case r.in.over:
			return r.fault(hintHostile, "a text or tag has more than %s", format.ByteSize(uint64(r.limits.Record)))
		case err != nil:
			return r.broken(err)
		}
		if err := r.token(token, do); err != nil {
			return err
		}
	}
}

// broken converts an error of the decoder to one that says what to do.
func (r *reader) broken(err error) error {
	syntax, is := errors.AsType[*xml.SyntaxError](err)
	switch {
	case !is:
		return err
	case strings.Contains(syntax.Msg, "entity"):
		return r.fault(hintHostile, "it uses an entity that XML itself does not have (%s)", syntax.Msg)
	case strings.Contains(syntax.Msg, "UTF-8"), strings.Contains(syntax.Msg, "illegal character"):
		return r.fault("Set encoding to the one that the file is written in, or export it again.", "it is not written in the encoding that it says: %s", syntax.Msg)
	case strings.Contains(syntax.Msg, "unexpected EOF"):
		return r.fault(hintDamaged, "the file ends within an element; it was cut off")
	}
	return r.fault(hintDamaged, "it is not well-formed XML: %s", syntax.Msg)
}

func (r *reader) token(token xml.Token, do func(*mark) error) error {
	switch t := token.(type) {
	case xml.Directive:
		return r.fault(hintHostile, "it has a document type declaration, which could define entities or fetch other files")
	case xml.StartElement:
		return r.start(t)
	case xml.EndElement:
		return r.end(t, do)
	case xml.CharData:
		if r.from > 0 {
			if r.text = append(r.text, t...); len(r.text)-r.inside[len(r.inside)-1].begins > r.limits.Cell || len(r.text) > r.limits.Record {
				return r.fault(hintHostile, "a text has more than %s", format.ByteSize(uint64(r.limits.Cell)))
			}
		}
	}
	return nil
}

// attribute returns an attribute of an element, or "".
func attribute(t xml.StartElement, local string) string {
	for _, a := range t.Attr {
		if a.Name.Local == local {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

func (r *reader) start(t xml.StartElement) error {
	local := t.Name.Local
	if len(r.path) == 0 {
		if r.root != "" {
			return r.fault(hintDamaged, "something follows the end of the document")
		}
		r.root = local
		if !slices.Contains(roots, strings.ToLower(local)) {
			return r.fault("Open it in a spreadsheet program and save it as .xlsx; or export it again as .csv. Of XML, trademark files in ST.96 and ST.66 are read.",
				"this is an XML file, not a table: it begins with the element %q, which no trademark file does", clip(local))
		}
	}
	if len(r.path) >= deepest {
		return r.fault(hintHostile, "elements are nested more than %d deep", deepest)
	}
	is := inside{begins: len(r.text), goods: -1, emphasis: r.emphasis(local)}
	if n := len(r.inside) - 1; n >= 0 && !is.emphasis {
		above := &r.inside[n]
		if above.parent = true; len(bytes.TrimSpace(r.text[above.begins:])) == 0 {
			r.text = r.text[:above.begins]
		}
		is.begins = len(r.text)
	}
	if is.emphasis && apart(local) {
		r.text = append(r.text, ' ')
	}
	if r.class.open > 0 && isGoods(local) {
		is.goods = len(r.class.goods)
	}
	r.path, r.inside = append(r.path, local), append(r.inside, is)
	switch {
	case r.from == 0 && isMark(local):
		line, _ := r.decoder.InputPos()
		r.from, r.mark = len(r.path), mark{line: line, cells: map[string][]string{}}
		for _, name := range []string{"operationCode", "operationCategory"} {
			if value := attribute(t, name); value != "" {
				return r.put(operationName, value)
			}
		}
	case r.from > 0 && r.class.open == 0 && isClass(local):
		r.class = class{open: len(r.path)}
	case r.class.open > 0 && isGoods(local):
		language := strings.ToLower(attribute(t, "languageCode"))
		if above := r.inside[len(r.inside)-2].goods; above >= 0 && language == "" {
			language = r.class.goods[above].language // a term of a description
		}
		r.class.goods = append(r.class.goods, goods{language: language})
	}
	return nil
}

// emphasis reports whether an element marks a part of the surrounding text, such as <Sub> in CO<Sub>2</Sub>, and has no
// text of its own. Within goods all elements do.
func (r *reader) emphasis(local string) bool {
	if n := len(r.inside) - 1; n >= 0 && r.from > 0 && len(r.path) > r.from {
		return (r.inside[n].goods >= 0 || r.inside[n].emphasis) && !isGoods(local) || slices.Contains(emphases, strings.ToLower(local))
	}
	return false
}

// isGoods reports whether an element of a class is its goods, or a term of them.
func isGoods(local string) bool {
	return local == "GoodsServicesDescription" || local == "GoodsServicesDescriptionText" || local == "ClassificationTermText"
}

func clip(text string) string { return text[:min(len(text), 40)] }

func (r *reader) end(t xml.EndElement, do func(*mark) error) error {
	depth := len(r.path)
	if depth == 0 || r.path[depth-1] != t.Name.Local {
		return r.fault(hintDamaged, "it is not well-formed XML: the element %q ends where it is not open", clip(t.Name.Local))
	}
	if r.from > 0 {
		if err := r.leave(t.Name.Local, depth); err != nil {
			return err
		}
	}
	is := r.inside[depth-1]
	r.path, r.inside = r.path[:depth-1], r.inside[:depth-1]
	if !is.emphasis {
		r.text = r.text[:is.begins]
	} else if apart(t.Name.Local) {
		r.text = append(r.text, ' ')
	}
	if depth != r.from {
		return nil
	}
	r.from = 0
	r.marks++
	return do(&r.mark)
}

// leave handles the end of an element within a mark.
func (r *reader) leave(local string, depth int) error {
	is := r.inside[depth-1]
	if is.emphasis {
		return nil // it is part of the surrounding element's text
	}
	value := strings.Join(strings.Fields(string(r.text[is.begins:])), " ")
	switch {
	case r.class.open == depth:
		defer func() { r.class = class{} }()
		return r.putClass()
	case r.class.open > 0 && local == "ClassNumber":
		r.class.number = strings.TrimLeft(value, "0")
	case is.goods >= 0:
		r.class.goods[is.goods].text = value
		return r.weigh(len(value))
	case r.class.open > 0, value == "", depth == r.from:
	default:
		path := strings.Join(r.path[r.from:], "/")
		if is.parent {
			r.mark.mixed = append(r.mark.mixed, nameOf(path))
		}
		if strings.HasSuffix(local, "Date") {
			value = zoned.ReplaceAllString(value, "$1")
		}
		return r.put(nameOf(path), value)
	}
	return nil
}

// zoned matches a day with a zone, as XML Schema allows. It is the same day everywhere without the zone.
var zoned = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)(?:Z|[+-]\d\d:\d\d)$`)

// weigh checks that a mark is not too large.
func (r *reader) weigh(more int) error {
	if r.mark.size += more; r.mark.size > r.limits.Record {
		return r.fault(hintHostile, "a mark has more than %s", format.ByteSize(uint64(r.limits.Record)))
	}
	return nil
}

func (r *reader) put(column, value string) error {
	r.mark.cells[column] = append(r.mark.cells[column], value)
	return r.weigh(len(value) + 1)
}

// putClass adds a class to the column of its language, with its terms separated by semicolons.
func (r *reader) putClass() error {
	texts := map[string][]string{}
	var languages []string
	for _, g := range r.class.goods {
		if g.text == "" {
			continue
		}
		if texts[g.language] == nil {
			languages = append(languages, g.language)
		}
		texts[g.language] = append(texts[g.language], g.text)
	}
	number := r.class.number
	switch {
	case number == "": // goods without a class cannot be split into entries, and are rejected later
	case len(languages) == 0:
		return r.put(goodsPath+"/", number)
	default:
		number += ": "
	}
	for _, language := range languages {
		if err := r.put(goodsPath+"/"+language, number+strings.Join(texts[language], "; ")); err != nil {
			return err
		}
	}
	return nil
}

// goodsPath begins the keys of the columns of classes, before their language.
const goodsPath = "\x00goods"
