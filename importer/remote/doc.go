// Package remote fetches source files from SFTP servers and S3-compatible buckets, and uploads copies of reports to them.
//
// A file is fetched into a local folder before anything is read of it, so that reading a million rows three times needs the
// network once, and so that a lost connection cannot look like the end of a file. It is streamed to a hidden name, compared
// with what the server says about it, and renamed into place: a file that is there is complete. It keeps its own name and its
// modification time, by which its age is judged.
//
// What is compared: the size, always; that size, time and version are the same after the last byte as before the first, since
// a server hands out a file that is being replaced without saying so; in buckets also the checksums that the server keeps, and
// its ETag where that is an MD5. A file that differs is fetched again, like after any other fault that may be temporary
// (Courier.Tries); a permanent fault (the file does not exist, permission is denied, a key is wrong) is reported at once.
//
// Nothing is sent to a server whose identity is not verified: SFTP needs the host key beforehand, from a known_hosts file or as
// a fingerprint, and there is no way to continue without it; S3 needs a certificate that the system trusts, except on this
// machine.
package remote
