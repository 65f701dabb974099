// Package network is a bad network on this machine, for tests: a TCP proxy that cuts, stalls, halves, slows and refuses
// connections on their way to a server that knows nothing of it, and is not there at all for a while. The faults a server
// plays on purpose begin once it has read a request; these begin before, in between and after, and strike where they will.
//
// What befalls a connection is a Fault, and a Weather says which, by the connection's number alone: the first connection
// that the proxy takes is number 0. So a test can be repeated. The faults speak of bytes, not of requests; a client that
// keeps its connections meets them in the middle of one request or between two.
//
// One end of the proxy never waits for the other longer than the network would: a fault that stalls holds both connections
// open until the client or the server gives up, or the proxy is closed.
package network
