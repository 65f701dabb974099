package referencelist

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient"
)

// List is a list of the service as it was at one moment.
type List struct {
	Name    string
	Fetched time.Time // when the reading of it began
	// Items have the id and the members that the spec of the list names.
	Items []apiclient.ListItem
}

// Digest is the same for lists of equal items, whatever their order.
func (l *List) Digest() string {
	lines := make([]string, len(l.Items))
	for n, item := range l.Items {
		lines[n] = fmt.Sprintf("%q %q", item.ID, item.Texts)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// Age is how long ago the list was fetched, in words: "3 hours".
func (l *List) Age(now time.Time) string {
	age := now.Sub(l.Fetched)
	switch {
	case age < time.Minute:
		return "less than a minute"
	case age < time.Hour:
		return count(int(age/time.Minute), "minute")
	case age < 48*time.Hour:
		return count(int(age/time.Hour), "hour")
	}
	return count(int(age/(24*time.Hour)), "day")
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
