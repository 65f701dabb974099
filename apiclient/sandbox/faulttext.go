package sandbox

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// settings returns the words of the text form of Faults, each bound to its field of f. The usage of a word is the hint
// in its error.
func settings(f *Faults) *flag.FlagSet {
	const count, retry, wait = "a whole number, 0 or more", "a duration such as 2s, or date:2s for the date form", "a duration such as 20ms, or 20ms:0.1 for one request in ten"
	words := flag.NewFlagSet("faults", flag.ContinueOnError)
	for _, c := range f.chances() {
		words.Var(bounded(c.probability, 1), string(c.fault), "a probability from 0 to 1")
	}
	words.Uint64Var(&f.Seed, "seed", 0, count)
	words.Var(retryAfter(&f.BusyRetryAfter), "503_retry_after", retry)
	words.Var(bounded(&f.Rate, 1e9), "rate", "requests per second")
	words.UintVar(&f.Burst, "burst", 0, count)
	words.Var(retryAfter(&f.RateRetryAfter), "rate_retry_after", retry)
	words.Var(delay(&f.Slow), "slow", wait)
	words.Var(delay(&f.SlowAfter), "slow_after", wait)
	words.Var(workers(f), "workers", "a number of requests and the time that each takes, such as 8:20ms")
	words.StringVar(&f.Forbid, "forbid", "", "a text")
	words.UintVar(&f.CookieAfter, "cookie_after", 0, count)
	words.Var(yesNo(&f.Lists), "lists", "yes or no")
	return words
}

// ParseFaults reads settings such as "seed=7,drop_after=0.02,500_before=0.05,rate=200,slow=20ms:0.1". An empty text
// means no faults. All problems are reported in one error. The settings:
//
//	seed=7                    decides, together with a request's number, what goes wrong
//	drop_before=0.02          connection closes without an answer, before acting; drop_after: after acting
//	500_before=0.05           answer 500 before acting; 500_after: after acting
//	503=0.01                  answer 503 before acting; 503_after: after acting
//	503_retry_after=2s        Retry-After of 503, "date:2s" for its date form
//	html=0.01                 a page with status 200 after acting; empty: no body; truncate: half a body
//	refuse=0.01               update trademark answers successful false without acting
//	alter=0.01                a case or folder is stored, and shown, with half of its name
//	rate=200 burst=20         answer 429 above that many requests per second
//	rate_retry_after=1s       Retry-After of 429, "date:1s" for its date form
//	slow=20ms:0.1             wait before acting, for one request in ten; slow=20ms for all; slow_after: before answering
//	workers=8:20ms            that many at once, each taking that long
//	forbid=Acme               answer 403 if the body contains that text
//	cookie_after=100          a cookie ends after that many requests
//	lists=yes                 apply all of it to the lists too
func ParseFaults(text string) (Faults, error) {
	var f Faults
	var problems []error
	words, seen := settings(&f), map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		word := words.Lookup(name)
		if word == nil {
			var known []string
			words.VisitAll(func(w *flag.Flag) { known = append(known, w.Name) })
			problems = append(problems, fmt.Errorf("fault %q is not known; known are %s", name, strings.Join(known, ", ")))
			continue
		}
		if seen[name] {
			problems = append(problems, fmt.Errorf("fault %s is set twice", name))
		}
		seen[name] = true
		if word.Value.Set(value) != nil {
			problems = append(problems, fmt.Errorf("fault %s=%s: use %s", name, value, word.Usage))
		}
	}
	var sum float64
	for _, c := range f.chances() {
		sum += *c.probability
	}
	if sum > 1+1e-9 {
		problems = append(problems, fmt.Errorf("faults that exclude each other have the probability %s together; it must be at most 1", decimal(sum)))
	}
	return f, errors.Join(problems...)
}

// String returns the text that ParseFaults reads back.
func (f Faults) String() string {
	var parts []string
	var shown Faults
	words := settings(&shown) // with the defaults, which mean no faults
	shown = f
	words.VisitAll(func(w *flag.Flag) {
		if value := w.Value.String(); value != w.DefValue {
			parts = append(parts, w.Name+"="+value)
		}
	})
	return strings.Join(parts, ",")
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

var errValue = errors.New("not a value of this setting")

// setting is the value of a word: how to show it, and how to read it.
type setting struct {
	show func() string
	read func(text string) error
}

// String returns the value.
func (s setting) String() string { return s.show() }

// Set reads what String shows.
func (s setting) Set(text string) error { return s.read(text) }

// bounded is a number from 0 to most.
func bounded(value *float64, most float64) setting {
	return setting{func() string { return decimal(*value) }, func(text string) error {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n <= most) { // excludes NaN too
			return errValue
		}
		*value = n
		return nil
	}}
}

func setDuration(d *time.Duration, text string) error {
	read, err := time.ParseDuration(text)
	if err != nil || read < 0 {
		return errValue
	}
	*d = read
	return nil
}

// retryAfter is "2s", or "date:2s".
func retryAfter(r *RetryAfter) setting {
	return setting{func() string {
		if r.Date {
			return "date:" + r.After.String()
		}
		return r.After.String()
	}, func(text string) error {
		wait, date := strings.CutPrefix(text, "date:")
		r.Date = date
		return setDuration(&r.After, wait)
	}}
}

// delay is a wait and the share of the requests that it applies to: "20ms:0.1". Without a share it applies to all.
func delay(d *Delay) setting {
	return setting{func() string { return d.Wait.String() + ":" + decimal(d.Probability) }, func(text string) error {
		wait, share, shared := strings.Cut(text, ":")
		if d.Probability = 1; shared {
			if err := bounded(&d.Probability, 1).Set(share); err != nil {
				return err
			}
		}
		return setDuration(&d.Wait, wait)
	}}
}

// workers is how many requests are carried out at once, and the time for each: "8:20ms". Without a time, requests take
// none.
func workers(f *Faults) setting {
	return setting{func() string { return strconv.Itoa(int(f.Workers)) + ":" + f.WorkTime.String() }, func(text string) error {
		number, each, timed := strings.Cut(text, ":")
		n, err := strconv.ParseUint(number, 10, 16)
		if f.Workers = uint(n); err == nil && timed {
			return setDuration(&f.WorkTime, each)
		}
		return err
	}}
}

// yesNo is a switch, "yes" or "no".
func yesNo(is *bool) setting {
	words := map[bool]string{true: "yes", false: "no"}
	return setting{func() string { return words[*is] }, func(text string) error {
		if *is = text == words[true]; text != words[*is] {
			return errValue
		}
		return nil
	}}
}
