package remedy

import (
	"cmp"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// words are what people are told of a run that ended with a code of the package stop.
type words struct {
	short string // after "stopped", in lists
	wrong string // a clause; "" if the run itself says it
	do    string // a sentence or two
	page  page
	args  []string // of the command, with {job} and {run} in them
	later bool     // nobody has to do anything
}

// page is a page of the console, with {job} and {run} in its path, and what a link to it says.
type page struct{ path, way string }

var (
	connectionPage = page{"/connection", "Try the connection"}
	doubtsPage     = page{"/doubts", "Review the records in doubt"}
	rejectsPage    = page{"/runs/{run}/rejects", "Review the changes"}
	changedPage    = page{"/changed", "Compare both sides"}
	jobPage        = page{"/jobs/{job}", "View the job"}
	runPage        = page{"/runs/{run}", "Review what happened"}
	guardPage      = page{"/runs/{run}/plan", "Review what the guards stopped"}
)

const sendsHeld = " The next run sends the held records."

// byCode has the words of every code.
var byCode = map[string]words{
	stop.Input:       {short: "input", do: "Correct that, then run the job.", page: jobPage, args: []string{"run", "{job}"}},
	stop.Guard:       {short: "guard", page: guardPage, args: []string{"run", "{job}", "--accept-guard"}},
	stop.Approval:    {short: "approval", wrong: "what would have been sent was not what was approved", do: "Make a new plan and review it.", page: jobPage, args: []string{"plan", "{job}"}},
	stop.Interrupted: {short: "interrupted", wrong: "interrupted", later: true},
	stop.Part:        {short: "part sent", wrong: "as many records as were asked for were sent", later: true},
	stop.Superseded:  {wrong: "replaced by a later run", later: true},
	stop.Adopted:     {short: "adopted", wrong: "what the service lists was adopted instead of sent", later: true},
	stop.SameRefusal: {short: "same refusal", wrong: "the service rejected all of the first records for the same reason",
		do: "A setting is probably wrong. Correct it as the reason suggests, then run the job.", page: runPage, args: []string{"run", "{job}"}},
	stop.SameDifference: {short: "same difference", wrong: "the service stored a different value from the one sent in all of the first records",
		do: "A setting is probably wrong. Correct it as the reason suggests, then run the job.", page: runPage, args: []string{"run", "{job}"}},
	stop.Doubts: {short: "in doubt", wrong: "too many records are in doubt", do: "Look them up in the service and settle them, then run the job.",
		page: doubtsPage, args: []string{"resolve", "{run}"}},
	stop.Failures:   {short: "failed", wrong: "too many records failed", do: "Contact the operator of the service, then run the job.", page: connectionPage, args: []string{"run", "{job}"}},
	stop.Rejections: {short: "rejected", wrong: "the service rejected too many records", do: "Correct the source or the mapping, then run the job.", page: runPage, args: []string{"run", "{job}"}},
	stop.Service: {short: "service", wrong: "the service gave no conclusive answer", do: "Contact the operator of the service." + sendsHeld,
		page: connectionPage, args: []string{"doctor"}},
	stop.NoPath: {short: "no path", wrong: "the configuration has no path for this operation", do: "Set it under service.paths, then run the job.",
		page: page{"/settings", "View the settings"}, args: []string{"run", "{job}"}},
	stop.SignIn: {short: "sign in", wrong: "sign-in lost", do: "Renew the cookie, the sign-in or the key set in the configuration (service.auth_cookie, service.sign_in, service.subscription_key), and restart docketsync schedule or console where one runs: they read secrets when they start." + sendsHeld,
		page: connectionPage, args: []string{"doctor"}},
	stop.Redirect: {short: "redirect", wrong: "the service answers with a redirect", do: "Correct service.base_url, or renew the sign-in." + sendsHeld,
		page: connectionPage, args: []string{"doctor"}},
	stop.ServiceDown: {short: "service down", wrong: "service down", do: "Try the connection. If it stays down, contact the operator of the service." + sendsHeld,
		page: connectionPage, args: []string{"doctor"}},
	stop.Certificate: {short: "certificate", wrong: "the service could not prove its identity",
		do:   "Nothing was sent to a server that is not trusted: check the clock, the host and service.ca_file." + sendsHeld,
		page: connectionPage, args: []string{"doctor"}},
}

// ofCode returns the words of a code; for a code of a later release, its name.
func ofCode(code string) words {
	w, known := byCode[code]
	if !known {
		w = words{short: strings.ReplaceAll(code, "_", " "), wrong: "stopped", do: "See the reason in the report." + sendsHeld, page: runPage, args: []string{"run", "{job}"}}
	}
	return w
}

// Phase says in a word or two how far a run is, and what stopped it: "stopped (service down)".
func Phase(phase ledger.Phase, stopCode string) string {
	if stopCode == "" {
		return string(phase)
	}
	w := ofCode(stopCode)
	if w.short == "" {
		return w.wrong
	}
	return string(phase) + " (" + w.short + ")"
}

// Short says in a word or two what stopped a run, "" when nothing did.
func Short(stopCode string) string {
	if stopCode == "" {
		return ""
	}
	w := ofCode(stopCode)
	return cmp.Or(w.short, w.wrong)
}
