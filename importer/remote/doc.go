// Package remote fetches source files from SFTP servers and S3-compatible buckets, and puts copies of reports there.
//
// A file is fetched into a folder of ours before anything is read of it, so that reading a million rows three times needs
// the network once, and so that a connection that breaks can't look like the end of a file. It is streamed to a hidden
// name, compared with what the server says of it, and renamed into place; a file that is there is whole. It keeps its own
// name and the time it was last written, by which its age is judged.
//
// What is compared: the size, always; that size, time and version are the same after the last byte as before the first,
// since a server hands out a file that is being replaced without a word; in buckets also the checksums that the server
// keeps, and its ETag where that is an MD5. What does not agree is fetched again, like anything else that may pass
// (Courier.Tries); what will not pass by itself (no such file, no permission, a wrong key) is said at once.
//
// Nobody is spoken to whose identity is not proven: SFTP needs the server's key beforehand, from a known_hosts file or as a
// fingerprint, and there is no way to go on without; S3 needs a certificate that the system trusts, but on this machine.
package remote
