package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// setting is one word of the text form of Faults.
type setting struct {
	write func(*Faults) string // "" when it has its zero value
	read  func(*Faults, string) error
}

// settings are the words that ParseFaults knows.
var settings = map[string]setting{
	"seed": {
		write: func(f *Faults) string { return nonZero(strconv.FormatUint(f.Seed, 10)) },
		read:  func(f *Faults, s string) (err error) { f.Seed, err = strconv.ParseUint(s, 10, 64); return err },
	},
	"drop_before":      share(func(f *Faults) *float64 { return &f.DropBefore }),
	"drop_after":       share(func(f *Faults) *float64 { return &f.DropAfter }),
	"500_before":       share(func(f *Faults) *float64 { return &f.FailBefore }),
	"500_after":        share(func(f *Faults) *float64 { return &f.FailAfter }),
	"503":              share(func(f *Faults) *float64 { return &f.BusyBefore }),
	"503_after":        share(func(f *Faults) *float64 { return &f.BusyAfter }),
	"503_retry_after":  retryAfter(func(f *Faults) *RetryAfter { return &f.BusyRetryAfter }),
	"html":             share(func(f *Faults) *float64 { return &f.HTML }),
	"empty":            share(func(f *Faults) *float64 { return &f.Empty }),
	"truncate":         share(func(f *Faults) *float64 { return &f.Truncate }),
	"refuse":           share(func(f *Faults) *float64 { return &f.Refuse }),
	"alter":            share(func(f *Faults) *float64 { return &f.Alter }),
	"rate":             {write: func(f *Faults) string { return nonZero(decimal(f.Rate)) }, read: readRate},
	"burst":            count(func(f *Faults) *int { return &f.Burst }),
	"rate_retry_after": retryAfter(func(f *Faults) *RetryAfter { return &f.RateRetryAfter }),
	"slow":             delay(func(f *Faults) *Delay { return &f.Slow }),
	"slow_after":       delay(func(f *Faults) *Delay { return &f.SlowAfter }),
	"workers":          {write: writeWorkers, read: readWorkers},
	"forbid": {
		write: func(f *Faults) string { return f.Forbid },
		read:  func(f *Faults, s string) error { f.Forbid = s; return nil },
	},
	"cookie_after": count(func(f *Faults) *int { return &f.CookieAfter }),
	"lists":        {write: writeLists, read: readLists},
}

// ParseFaults reads settings such as "seed=7,drop_after=0.02,500_before=0.05,rate=200,slow=20ms:0.1". The empty text is
// no fault. All that is wrong comes in one error. The settings:
//
//	seed=7                    what decides together with a request's number
//	drop_before=0.02          connection ends unanswered, before acting; drop_after: after acting
//	500_before=0.05           answer 500 before acting; 500_after: after acting
//	503=0.01                  answer 503 before acting; 503_after: after acting
//	503_retry_after=2s        Retry-After of 503, "date:2s" for its date form
//	html=0.01                 a page with status 200 after acting; empty: no body; truncate: half a body
//	refuse=0.01               update trademark answers successful false without acting
//	alter=0.01                a case or folder is stored, and shown, with half of its name
//	rate=200 burst=20         answer 429 above so many requests per second
//	rate_retry_after=1s       Retry-After of 429, "date:1s" for its date form
//	slow=20ms:0.1             wait before acting, for one request in ten; slow=20ms for all; slow_after: before answering
//	workers=8:20ms            so many at once, each taking that long
//	forbid=Acme               answer 403 where the body holds that text
//	cookie_after=100          a cookie ends after so many requests
//	lists=yes                 all of it strikes the lists too
func ParseFaults(text string) (Faults, error) {
	var f Faults
	var faults []error
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		s, known := settings[name]
		switch {
		case !known:
			faults = append(faults, fmt.Errorf("fault %q is not known; known are %s", name, strings.Join(settingNames(), ", ")))
			continue
		case seen[name]:
			faults = append(faults, fmt.Errorf("fault %s is set twice", name))
		}
		seen[name] = true
		if err := s.read(&f, value); err != nil {
			faults = append(faults, fmt.Errorf("fault %s=%s: %w", name, value, err))
		}
	}
	return f, errors.Join(append(faults, f.overflow())...)
}

// overflow reports faults that exclude each other and are certain more than once.
func (f Faults) overflow() error {
	var sum float64
	for _, c := range f.chances() {
		sum += c.probability
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("faults that exclude each other have the probability %s together; it must be at most 1", decimal(sum))
	}
	return nil
}

// String gives the text that ParseFaults reads back.
func (f Faults) String() string {
	var parts []string
	for _, name := range settingNames() {
		if value := settings[name].write(&f); value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	return strings.Join(parts, ",")
}

func settingNames() []string { return slices.Sorted(maps.Keys(settings)) }

func nonZero(text string) string {
	if text == "0" {
		return ""
	}
	return text
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func probability(text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0, errors.New("use a probability from 0 to 1")
	}
	return p, nil
}

func duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("use a duration such as 20ms or 2s")
	}
	return d, nil
}

func share(field func(*Faults) *float64) setting {
	return setting{
		write: func(f *Faults) string { return nonZero(decimal(*field(f))) },
		read:  func(f *Faults, s string) (err error) { *field(f), err = probability(s); return err },
	}
}

func count(field func(*Faults) *int) setting {
	return setting{
		write: func(f *Faults) string { return nonZero(strconv.Itoa(*field(f))) },
		read: func(f *Faults, s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 0 {
				return errors.New("use a whole number, 0 or more")
			}
			*field(f) = n
			return nil
		},
	}
}

func retryAfter(field func(*Faults) *RetryAfter) setting {
	return setting{
		write: func(f *Faults) string {
			r := *field(f)
			if r.After == 0 {
				return ""
			}
			if r.Date {
				return "date:" + r.After.String()
			}
			return r.After.String()
		},
		read: func(f *Faults, s string) (err error) {
			wait, date := strings.CutPrefix(s, "date:")
			field(f).Date = date
			field(f).After, err = duration(wait)
			return err
		},
	}
}

func delay(field func(*Faults) *Delay) setting {
	return setting{
		write: func(f *Faults) string {
			if d := *field(f); d.Wait != 0 {
				return d.Wait.String() + ":" + decimal(d.Probability)
			}
			return ""
		},
		read: func(f *Faults, s string) error {
			wait, p, shared := strings.Cut(s, ":")
			d, err := duration(wait)
			if err != nil {
				return err
			}
			*field(f) = Delay{Wait: d, Probability: 1}
			if shared {
				field(f).Probability, err = probability(p)
			}
			return err
		},
	}
}

func readRate(f *Faults, s string) error {
	r, err := strconv.ParseFloat(s, 64)
	if err != nil || !(r >= 0 && r < 1e9) {
		return errors.New("use requests per second")
	}
	f.Rate = r
	return nil
}

func writeWorkers(f *Faults) string {
	if f.Workers == 0 {
		return ""
	}
	return strconv.Itoa(f.Workers) + ":" + f.WorkTime.String()
}

func readWorkers(f *Faults, s string) error {
	number, each, timed := strings.Cut(s, ":")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return errors.New("use a number of requests and the time each takes, such as 8:20ms")
	}
	f.Workers = n
	if timed {
		f.WorkTime, err = duration(each)
	}
	return err
}

func writeLists(f *Faults) string {
	if f.Lists {
		return "yes"
	}
	return ""
}

func readLists(f *Faults, s string) error {
	if s != "yes" && s != "no" {
		return errors.New("use yes or no")
	}
	f.Lists = s == "yes"
	return nil
}
