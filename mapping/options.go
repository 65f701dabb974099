package mapping

import (
	"time"

	"docketsync/apiclient/payload"
)

// Options are what an installation's configuration says that changes what payloads may carry, and the date of the run.
type Options struct {
	// Switches are those of the service.
	Switches payload.Switches
	// Today is the calendar day that checks and expressions go by; zero leaves out the checks that need it.
	Today time.Time
	// Lists are the names of the service's lists that the configuration has; nil where nobody knows.
	Lists []string
}
