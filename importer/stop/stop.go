// Package stop lists the reasons for which a run ends before its time: the values of ledger.Run.StopCode.
//
// It imports nothing of ours, because those who read the code of a run that has ended (console, notifications, metrics,
// commands) need nothing of what makes runs. The codes are kept in ledgers and shown in metrics, so a code never
// changes its spelling; those of the client are spelled as the client spells them (apiclient.Code), which a test
// checks.
package stop

// The codes.
const (
	Input          = "input"           // the source, the mapping or a lookup could not be used; nothing was sent
	Guard          = "guard"           // the export was too different from the last one; nothing was sent
	Approval       = "approval"        // what would have been sent was not what was approved; nothing was sent
	Interrupted    = "interrupted"     // a person or the system stopped it
	Part           = "part"            // it has sent as many records as were asked for; the next run sends the rest
	Superseded     = "superseded"      // another run of its scope took over before it was resumed
	Adopted        = "adopted"         // it took over ids from the service's lists instead of sending
	SameRefusal    = "same_refusal"    // the first records were all refused for the same reason: a setting is probably wrong
	SameDifference = "same_difference" // the first records were all stored with another value in one field: a setting is probably wrong
	Doubts         = "in_doubt"        // too many of its records are in doubt
	Failures       = "failed"          // too many of its records failed
	Rejections     = "rejected"        // the service rejected too large a share of its records
	Service        = "service"         // the client gave up without saying why, or could not read an answer

	// The codes that come from the client.
	NoPath      = "no_path"      // the operation has no path in the configuration
	SignIn      = "sign_in"      // the service rejected the key or the cookie
	Redirect    = "redirect"     // the service answers with a redirect
	ServiceDown = "service_down" // the service did nothing of what it was asked
	Certificate = "certificate"  // the service does not prove its identity, or no TLS can be agreed on
)

// Sending reports whether a run that ended with a code had a complete plan that nothing kept from being sent.
func Sending(code string) bool {
	return code != Input && code != Guard && code != Approval
}

// Resumable reports whether a run that ended with a code has a plan that a later run can resume. A run that was stopped
// because too much of it failed or was rejected is planned anew: only a new run takes up what failed, and starts its
// counts at zero.
func Resumable(code string) bool {
	switch code {
	case Input, Superseded, Guard, Approval, Failures, Rejections:
		return false
	}
	return true
}
