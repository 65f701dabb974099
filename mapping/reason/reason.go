package reason

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Problem is a Reason without its place: what is wrong with a value and what to do. Message and Hint are the sentences
// for the code, its form and the arguments.
type Problem struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	Form    string   `json:"form,omitempty"`
	Args    []string `json:"args,omitempty"`
}

// New returns a Problem: name is that of a sentence in sentences.go, args are its arguments.
func New(name string, args ...any) *Problem {
	p := &Problem{}
	p.Code, p.Form, _ = strings.Cut(name, "/")
	if len(args) > 0 {
		p.Args = make([]string, len(args))
	}
	for n, arg := range args {
		p.Args[n] = argument(name, n, arg)
	}
	p.Message, p.Hint = Words(p.Code, p.Form, p.Args)
	return p
}

// argument converts an argument to what ledgers store: text that every database accepts, and no more of it than the
// sentence shows.
func argument(name string, n int, arg any) string {
	text, isText := arg.(string)
	if !isText {
		text = fmt.Sprint(arg)
	}
	if s := parsed[name]; s != nil && n < len(s.clipped) && s.clipped[n] {
		text = Clip(text, quoted)
	}
	return Storable(text)
}

// And returns the problem with another hint, whose name begins with "+".
func (p *Problem) And(more string) *Problem {
	also := *p // a lookup that asks the ledger keeps its answers, so p must not change
	also.Form += more
	also.Message, also.Hint = Words(p.Code, also.Form, p.Args)
	return &also
}

func (p *Problem) Is(code string) bool { return p != nil && p.Code == code }

// Reason says why a row or record did not become a payload or, as a note, what is odd about it.
//
// Code is a stable word for grouping, such as "lookup_unknown" or "date_ambiguous". Field is the target field
// ("files.number"). Column is the header's name and Cell its address ("C17"); both are empty if no single cell is to
// blame. Value quotes what was found. In a note on an accepted record, Stored is what the service has instead. Message
// says in a sentence what is wrong; Hint says what to do next.
//
// Source tells rows with the same number apart if a record has rows of several sources: it is the row's source, counted
// from 1, and otherwise 0. SentTo is a digest of the address at which the service refused the record. Form and Args are
// those of the Problem. Reasons stored by releases before these fields existed have neither, and keep the words that
// they were stored with.
type Reason struct {
	Code    string   `json:"code"`
	Field   string   `json:"field,omitempty"`
	Column  string   `json:"column,omitempty"`
	Cell    string   `json:"cell,omitempty"`
	Row     int      `json:"row,omitempty"`
	Source  int      `json:"source_number,omitempty"`
	Value   string   `json:"value,omitempty"`
	Stored  string   `json:"stored,omitempty"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	Form    string   `json:"form,omitempty"`
	Args    []string `json:"args,omitempty"`
	SentTo  string   `json:"sent_to,omitempty"`
}

// Says returns the reason with the code, words and arguments of the problem.
func (r Reason) Says(p *Problem) Reason {
	r.Code, r.Message, r.Hint, r.Form, r.Args = p.Code, p.Message, p.Hint, p.Form, p.Args
	return r
}

// Same reports whether two reasons say the same about the same place.
func (r Reason) Same(as Reason) bool { return reflect.DeepEqual(r, as) }

// stored is a reason that has its words only if they differ from those of its code and arguments.
type stored struct {
	Reason
	Message string `json:"message,omitempty"`
}

// Stored returns reasons as a ledger keeps them.
func Stored(list []Reason) []stored {
	kept := make([]stored, len(list))
	for n, r := range list {
		message := r.Message
		if says, hint := Words(r.Code, r.Form, r.Args); message == says && r.Hint == hint {
			message, r.Hint = "", ""
		}
		kept[n] = stored{r, message}
	}
	return kept
}

// UnmarshalJSON gives a reason that was stored without its words the words of its code and arguments.
func (r *Reason) UnmarshalJSON(data []byte) error {
	type plain Reason
	err := json.Unmarshal(data, (*plain)(r))
	if r.Message == "" {
		r.Message, r.Hint = Words(r.Code, r.Form, r.Args)
	}
	return err
}

// Storable replaces what no database accepts as text.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

// quoted is how many characters of a value a sentence quotes.
const quoted = 60

// Quote quotes a value for a message, or the beginning of a long one.
func Quote(text string) string { return strconv.Quote(Clip(text, quoted)) }

// QuoteAll quotes names, only the first few if there are many.
func QuoteAll(list []string) string {
	const most = 5
	names := make([]string, 0, most)
	for i, name := range list {
		if i == most {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(list)-most)
		}
		names = append(names, Quote(name))
	}
	return strings.Join(names, ", ")
}

// Clip keeps at most runes characters, and replaces the rest with "…".
func Clip(text string, runes int) string {
	for at := range text {
		if runes--; runes < 0 {
			return text[:at] + "…"
		}
	}
	return text
}

// Unsent reports whether a note is about a change that cannot be sent, because the service would take it for something
// new or keeps what is gone.
func (r Reason) Unsent() bool {
	return r.Code == ChangedSince || r.Code == EntryChanged || r.Code == Stays
}
