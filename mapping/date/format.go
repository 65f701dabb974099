package date

import (
	"fmt"
	"strings"
	"time"
)

// Format writes a day or a moment in the pattern. One letter gives a number without zeros in front.
func (p *Pattern) Format(m Moment) string {
	var b strings.Builder
	number := func(n int, part part) {
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
			number(m.Day, part)
		case partMonth:
			number(m.Month, part)
		case partMonthName:
			name := time.Month(m.Month).String()
			if part.short {
				name = name[:3]
			}
			b.WriteString(name)
		case partYear:
			if part.digits == 2 {
				fmt.Fprintf(&b, "%02d", m.Year%100)
			} else {
				fmt.Fprintf(&b, "%04d", m.Year)
			}
		case partWeekday:
			b.WriteString(time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC).Weekday().String())
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
