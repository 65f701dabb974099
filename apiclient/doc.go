// Package apiclient sends payloads to the service of interface.md: create case, create folder, update case, update trademark, and whatever else package
// payload describes. It knows HTTP, not rows, and keeps nothing between two calls but connections, the cookie and what it has learned about the service's pace.
//
// For the programmer: New makes a Client of Options, which any number of goroutines may use. payload.Encode spells a payload, Client.Send sends it and
// returns a Result whose Verdict says what became of the record; Client.List reads a list of the service. Drain lets nothing new begin, Close ends it.
//
// The life of a call: a payload, whose bytes package payload has spelled, waits for its turn (package pace), leaves as one HTTP
// request (an exchange), and judge decides what became of it. The ruling is to settle, to wait and
// send again, or to sign in anew and send again. Every request is kept as an Attempt in the Result.
//
// The decision that is not obvious is what "nothing was written" means. The service has no idempotency key, so a create
// may be sent again only when it is certain that the service has not seen it. Every connection therefore counts the
// bytes that the HTTP layer hands to it (above TLS, so that a closing alert does not count), the count is taken when the
// connection is given to a request, and a failed exchange closes the connection for writing before it is compared. Only
// an unchanged count is "nothing written"; whatever cannot be told counts as written. The transport itself never
// replays a request: requests carry no GetBody, and redirects are not followed.
//
// Headers leave with the letters that the interface document gives them, "subscription-key" and ".Service.AuthCookie";
// HTTP/2 would lower-case them, so the client speaks HTTP/1.1 only. It uses no proxy unless Options.Proxy names one.
//
// A record makes at most one request per wait of its backoff within RetryOptions.Total, about fifteen with the defaults; the
// pacer lets retries begin no faster than first requests, and Stats counts them, so trouble never turns into a storm.
//
// With Options.Shared several processes that send with one subscription key share its pace (package pace), and those that also sign in
// alike share the session: the one that finds the cookie dead first signs in while the others wait, and leaves it to them sealed. A sign-in
// that was refused is nobody's to try again for a minute; a cookie that one of them may not use for what it sends is lost to that one alone. What they share is found under names, and the cookie is sealed with a key, that are
// derived from the secrets that all of them have by configuration (HKDF); so what is kept tells nothing to whoever does not have those.
//
// Beyond the interface a service may have list operations. Client.List reads one to its end, page by page with the same
// pace, patience and sign-in as everything else: a page is a GET, and so may be asked for again. Pages overlap by one
// item, which shows whether items moved between two requests; what cannot be read without a gap is an error, never a
// shorter list.
//
// Secrets (subscription key, cookies, password) are removed from every text before it leaves the package: messages,
// errors, excerpts of answers and log lines, also where an answer echoes them in an escaped form. An answer is read as it came,
// so that no secret changes what it means; its ids leave as they were given, or not at all when they hold a secret.
//
// The answer to what was accepted is compared with what was sent, field by field (Result.ReadBack), wherever it shows the record:
// its name, or the text of a mark, is in it. A reference is found under its own name or under the record's (user_id, user.id), an
// element of a list by its number, component or text, in any order. Ids in another spelling, numbers of one value, times of one instant
// (with a date alone, or without a zone, in UTC), blanks around a text, line ends and accents in another form are no difference. What the
// answer lacks, adds or shows in a form that cannot be compared (a name for an id, a date that is not ISO 8601) is not read
// back, and says nothing. A member that is there and empty is a difference where a value was sent, also null: a service that
// dropped a client looks just like one that does not show it, and Options.NotReadBack names the fields of the second. What
// was sent empty is compared in update case alone, which replaces everything; elsewhere the service may put a default there.
//
// A 403 does not say whether it means the user or the record. Such a record is set aside until others tell: see judge. A page to sign in with, with a status of
// success, says nothing of the record, which is judged as after any unreadable answer; but it ends the cookie: see session.outlived.
package apiclient
