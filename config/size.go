package config

import (
	"math"
	"strconv"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Size is a number of bytes. It is written with its unit: 500KB, 1MiB, 2 GiB.
type Size int64

var units = []struct {
	name  string
	bytes int64
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"b", 1}}

// UnmarshalNode reads a number with a unit.
func (s *Size) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	text := strings.ToLower(strings.TrimSpace(n.Value))
	for _, unit := range units {
		digits, found := strings.CutSuffix(text, unit.name)
		if !found || n.Kind != document.Scalar {
			continue
		}
		count, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || count < 0 || count > math.MaxInt64/unit.bytes {
			break
		}
		*s = Size(count * unit.bytes)
		return nil
	}
	return diagnostic.Faults{f.Expected(n, `a size with its unit, such as "500KB" or "1MiB"`)}
}

// String gives the size in the largest unit that divides it.
func (s Size) String() string {
	for _, unit := range []struct {
		name  string
		bytes Size
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if s >= unit.bytes && s%unit.bytes == 0 {
			return strconv.FormatInt(int64(s/unit.bytes), 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// MarshalText writes the size as String does.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
