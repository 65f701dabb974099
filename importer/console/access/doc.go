// Package access has the pages of who uses the console: signing in and out, by password or provider, the sessions, and the audit with its
// export. Who may come in is decided in signin.
package access
