// Package apiclient sends payloads to the service of interface.md: create case, create folder, update case, update
// trademark, and whatever else package payload describes. It knows HTTP, not rows. Between two calls it keeps only
// connections, the cookie and what it has learned about the service's pace.
//
// For programmers: New makes a Client from Options, for any number of goroutines. payload.Encode writes a payload.
// Client.Send sends it and returns a Result, whose Verdict says what became of the record. Client.List reads a list of
// the service. Drain lets no new request start; Close ends the client.
//
// The life of a call: a payload, whose bytes package payload has written, waits for its turn (package pace) and leaves
// as one HTTP request (an exchange). Then judge rules on it: the record is settled, or is sent again after a wait, or
// is sent again after a new sign-in. Every request is kept as an Attempt in the Result.
//
// One decision is not obvious: what "nothing was written" means. The service has no idempotency key, so a create may be
// sent again only if it is certain that the service has not seen it. Every connection therefore counts the bytes that
// the HTTP layer hands to it (above TLS, so that a closing alert does not count). The count is taken when a request
// gets the connection. After a failed exchange the connection is closed for writing, and the count is compared. Only an
// unchanged count means that nothing was written; anything uncertain counts as written. The transport itself never
// replays a request: requests have no GetBody, and redirects are not followed.
//
// Headers are sent in the exact case of the interface document, "subscription-key" and ".Service.AuthCookie". HTTP/2
// would lower-case them, so the client speaks only HTTP/1.1. It uses no proxy unless Options.Proxy names one.
//
// Within RetryOptions.Total a record makes at most one request per wait of its backoff, about fifteen with the
// defaults. The pacer lets retries begin no faster than first requests, and Stats counts them, so trouble never turns
// into a storm.
//
// With Options.Shared, several processes that send with the same subscription key share its pace (package pace), and
// those that also sign in the same way share the session: the first process to find the cookie expired signs in while
// the others wait, and stores the new cookie for them, encrypted. After a refused sign-in none of them tries again for
// a minute. If one process may not use a cookie for what it sends, only that process loses it. The names of the shared
// state and the key that encrypts the cookie are derived (HKDF) from the secrets that all processes have in their
// configuration, so the stored state reveals nothing to anyone without those secrets.
//
// Beyond the interface, a service may have list operations. Client.List reads a list to its end, page by page, with the
// same pace, patience and sign-in as everything else; a page is a GET, so it may be requested again. Pages overlap by
// one item, which shows whether items moved between two requests. A list that cannot be read without a gap is an error,
// never a shorter list.
//
// Secrets (subscription key, cookies, password) are removed from every text before it leaves the package: messages,
// errors, excerpts of answers and log lines, even if an answer echoes them in an escaped form. An answer is read before
// that, so that a secret never changes its meaning. Its ids leave exactly as given, or not at all if they contain a
// secret.
//
// The answer to an accepted payload is compared with the payload, field by field (Result.ReadBack), if it shows the
// record, that is, contains its name or the text of the mark. A reference is found under its own name or under the
// record's (user_id, user.id); an element of a list by its number, component or text, in any order. These are not
// differences: ids in another spelling, numbers of the same value, times of the same instant (a date alone, or a time
// without a zone, is UTC), white space around a text, line ends, and accents in another form. What the answer lacks,
// adds, or shows in a form that cannot be compared (a name for an id, a date that is not ISO 8601) is not compared. A
// member that is present but empty, including null, is a difference if a value was sent: a service that dropped a
// client looks just like one that does not show it. Options.NotReadBack names the fields that the service does not
// show. Empty values are compared only for update case, which replaces everything; elsewhere the service may store a
// default.
//
// An answer about another record that was sent a moment ago is no answer to this one, and its connection is closed: see
// lately.
//
// A 403 does not say whether it is about the user or the record. Such a record is set aside until others show which:
// see judge. A sign-in page with a success status says nothing about the record, which is judged as after any
// unreadable answer; but it ends the cookie: see session.outlived.
package apiclient
