package forecast

import (
	"fmt"
	"strings"
)

const (
	limited  = 0.5  // share of the parts of a run in which requests were too many from which on a limit holds it back
	busy     = 0.85 // share of the workers, or of a configured rate, from which on it is what holds a push back
	repeated = 0.05 // share of requests that settled nothing from which on they are worth a word
)

// Shorter says what would make it shorter, a sentence each; workers is how many requests may be under way at once, rate the most a second that is
// configured, 0 for none. What was not observed is not said: a push that is slower than its workers may be held back by the service as well
// as by this machine, and its requests do not tell by which.
func (p Pace) Shorter(workers int, rate float64) (list []string) {
	waiting := p.PerSecond * p.LatencySeconds // on average, by Little's law
	switch {
	case rate > 0 && p.PerSecond > busy*rate:
		list = append(list, fmt.Sprintf("pace.rate holds it back at %s: a higher one makes it faster, if the service takes it.", Rate(rate)))
	case p.RefusedParts >= limited:
		list = append(list, fmt.Sprintf("The service refused requests all along as too many (429), at about %s: more workers do not help. Ask its operator for a higher limit for these hours.", Rate(p.PerSecond)))
	case waiting > busy*float64(workers):
		list = append(list, fmt.Sprintf("All %d workers are busy, and no limit of the service showed: with pace.concurrency at %d it takes about half as long, if the service keeps up.", workers, 2*workers))
	default:
		list = append(list, fmt.Sprintf("Only %.1f of %d workers were waiting for the service on average, so more of them do not help, and no limit of the service showed. "+
			"Look at what else this machine was doing, at its disk, and whether the service got slower under load (it answered in %.0f ms).", waiting, workers, 1000*p.LatencySeconds))
	}
	if p.Repeated-p.Refused > repeated {
		list = append(list, fmt.Sprintf("%.0f %% of the requests settled nothing and were repeated: find out why the service fails.", 100*(p.Repeated-p.Refused)))
	}
	return list
}

// Briefly is a rate for a narrow place.
func Briefly(perSecond float64) string {
	return strings.TrimSuffix(Rate(perSecond), " per second") + "/s"
}

// Rate is a rate in words.
func Rate(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f per second", perSecond)
	}
	return fmt.Sprintf("%.0f per second", perSecond)
}
