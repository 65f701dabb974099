package config

import (
	"math"
	"strconv"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// parsed fills a setting with a unit from a scalar that parse understands.
func parsed[T any](into *T, f *document.File, n *document.Node, expected string, parse func(text string) (T, bool)) diagnostic.Faults {
	if n.Kind == document.Scalar {
		if value, ok := parse(n.Value); ok {
			*into = value
			return nil
		}
	}
	return diagnostic.Faults{f.Expected(n, expected)}
}

// again is the time after which something is done again: a duration, 0 for always, negative for never.
type again time.Duration

const (
	alwaysWord = "always"
	neverWord  = "never"
)

// UnmarshalNode reads a duration, always or never.
func (a *again) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	return parsed(a, f, n, `a duration such as "24h", or always, or never`, func(text string) (again, bool) {
		switch text {
		case alwaysWord:
			return 0, true
		case neverWord:
			return -1, true
		}
		d, err := time.ParseDuration(text)
		return again(d), err == nil && d >= 0
	})
}

// String returns the time as it is written.
func (a again) String() string {
	switch {
	case a == 0:
		return alwaysWord
	case a < 0:
		return neverWord
	}
	return unpadded(time.Duration(a))
}

// percent is a share, written as 20% or 0.5%; off is 0.
type percent float64

// UnmarshalNode reads a number with a percent sign, or off.
func (p *percent) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	return parsed(p, f, n, `a percentage such as "20%", or off`, func(text string) (percent, bool) {
		if text = strings.TrimSpace(text); strings.EqualFold(text, "off") || text == "0" {
			return 0, true
		}
		digits, found := strings.CutSuffix(text, "%")
		share, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		return percent(share), found && err == nil && share >= 0 && share <= 1000
	})
}

// String returns the share as it is written.
func (p percent) String() string {
	if p == 0 {
		return "off"
	}
	return strconv.FormatFloat(float64(p), 'f', -1, 64) + "%"
}

// Days is a number of days, written with a d: 400d.
type Days int

// mostDays is a hundred years.
const mostDays = 36525

// ParseDays reads a number of days, at least one. ok is false if the text is not one.
func ParseDays(text string) (d Days, ok bool) {
	digits, found := strings.CutSuffix(strings.TrimSpace(text), "d")
	n, err := strconv.Atoi(digits)
	return Days(n), found && err == nil && n >= 1 && n <= mostDays
}

// UnmarshalNode reads a number of days.
func (d *Days) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	return parsed(d, f, n, `a number of days, such as "400d"`, ParseDays)
}

// String returns the days as they are written.
func (d Days) String() string { return strconv.Itoa(int(d)) + "d" }

// Before returns the time that many days before t.
func (d Days) Before(t time.Time) time.Time { return t.AddDate(0, 0, -int(d)) }

// size is a number of bytes, written with its unit: 500KB, 1MiB, 2 GiB.
type size int64

// sizeUnits begin with those that String writes, the largest first. The unit B is the ending of all of them, so it
// comes last.
var sizeUnits = []struct {
	name  string
	bytes size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}

// UnmarshalNode reads a number with a unit.
func (s *size) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	return parsed(s, f, n, `a size with its unit, such as "500KB" or "1MiB"`, func(text string) (size, bool) {
		text = strings.ToLower(strings.TrimSpace(text))
		for _, unit := range sizeUnits {
			if digits, found := strings.CutSuffix(text, strings.ToLower(unit.name)); found {
				count, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
				return size(count) * unit.bytes, err == nil && count >= 0 && count <= math.MaxInt64/int64(unit.bytes)
			}
		}
		return 0, false
	})
}

// String returns the size in the largest unit that divides it.
func (s size) String() string {
	for _, unit := range sizeUnits[:3] {
		if s >= unit.bytes && s%unit.bytes == 0 {
			return strconv.FormatInt(int64(s/unit.bytes), 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// Names is one text or several: paths of files, patterns, members of an answer, recipients.
type Names []string

// UnmarshalNode reads a text or a list of texts.
func (p *Names) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	switch n.Kind {
	case document.Scalar:
		*p = Names{n.Value}
		return nil
	case document.Block:
		return diagnostic.Faults{f.Expected(n, "one value, or a list of values")}
	}
	return f.Decode(n, (*[]string)(p))
}
