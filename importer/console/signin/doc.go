// Package signin finds out who sends a request to the console. It imports nothing of ours, and knows no page.
//
// Who may come in is what the configuration says by now: it is read again at most every second (roster). Each account has a mark that changes
// with anything of the account; a session holds the mark of its account and ends when nobody has it any more. So a removed user, a new
// password or another role ends sessions at once, and a configuration that cannot be read changes nothing but is told (Trouble).
//
// There are three ways in. A password is compared with an argon2id hash; tries are counted by network, by name, and by browser, so
// that nobody who tries a name from elsewhere locks out its owner (tries, browser). A provider of OpenID Connect says who somebody is,
// by the code flow with PKCE (provider). Where nobody signs in, because the console answers only its own machine, a key that is printed in the
// terminal lets in one browser, and the next key is printed right then (oneTime).
//
// Several firms have one door (To): who somebody is, is found out there, by its accounts; what they may do in a firm is what the accounts of that firm say (Accounts.Of),
// each time they ask for a page, so that a role that was taken away is gone with the next one. A user of a firm is the one who signed in with a
// password under that name, never somebody whom the provider calls so.
//
// Where the ledger is in PostgreSQL, several consoles are one (shared): a session, its end, and the tries that are used up count at all of them, and a
// sign-in that was begun at one is finished at another. With SQLite there is one console, which keeps all of that in memory.
//
// It promises: a session is made by signing in and in no other way, under a token that nobody had before; the cookie is of no use to scripts
// or other sites; and nothing is kept for people whom nobody knows, so that they cannot fill the memory.
package signin
