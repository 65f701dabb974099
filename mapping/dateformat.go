package mapping

import (
	"fmt"
	"strings"
	"time"
)

// format writes a day or a moment in the pattern. One letter gives a number without zeros in front.
func (p *DatePattern) format(m moment) string {
	var b strings.Builder
	number := func(n int, part datePart) {
		if part.digits == 0 && part.short {
			fmt.Fprintf(&b, "%d", n)
		} else {
			fmt.Fprintf(&b, "%02d", n)
		}
	}
	for _, part := range p.parts {
		switch part.kind {
		case partLiteral:
			b.WriteString(part.written)
		case partSpace:
			b.WriteByte(' ')
		case partDay:
			number(m.day, part)
		case partMonth:
			number(m.month, part)
		case partMonthName:
			name := time.Month(m.month).String()
			if part.short {
				name = name[:3]
			}
			b.WriteString(name)
		case partYear:
			if part.digits == 2 {
				fmt.Fprintf(&b, "%02d", m.year%100)
			} else {
				fmt.Fprintf(&b, "%04d", m.year)
			}
		case partWeekday:
			b.WriteString(time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC).Weekday().String())
		case partHour:
			if p.halves {
				number((m.hour+11)%12+1, part)
			} else {
				number(m.hour, part)
			}
		case partMinute:
			number(m.minute, part)
		case partSecond:
			number(m.second, part)
		case partHalf:
			b.WriteString(map[bool]string{true: "am", false: "pm"}[m.hour < 12])
		case partZone:
			b.WriteByte('Z')
		}
	}
	return b.String()
}
