package forecast

import "fmt"

const (
	limited  = 0.0005 // share of requests that were too many from which on there is a limit
	busy     = 0.85   // share of what so many workers can do from which on they are what holds a push back
	repeated = 0.05   // share of requests that settled nothing from which on they are worth a word
)

// Shorter says what would make it shorter, a sentence each; workers is how many requests may be under way at once.
func (p Pace) Shorter(workers int) (list []string) {
	most := float64(workers) / p.LatencySeconds
	switch {
	case p.Refused > limited:
		list = append(list, fmt.Sprintf("The service's own limit of about %s holds it back: more workers do not help. Ask its operator for a higher limit for these hours.", Rate(p.PerSecond)))
	case p.PerSecond > busy*most:
		list = append(list, fmt.Sprintf("All %d workers are busy and the service sets no limit: with pace.concurrency at %d it takes about half as long, if the service keeps up.", workers, 2*workers))
	default:
		list = append(list, fmt.Sprintf("The service gets slower when it has more to do: with %d workers it answers in %.0f ms. More workers probably do not help.", workers, 1000*p.LatencySeconds))
	}
	if p.Repeated-p.Refused > repeated {
		list = append(list, fmt.Sprintf("%.0f %% of the requests settled nothing and were repeated: find out why the service fails.", 100*(p.Repeated-p.Refused)))
	}
	return list
}

// Rate is a rate in words.
func Rate(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f per second", perSecond)
	}
	return fmt.Sprintf("%.0f per second", perSecond)
}
