// Package conflict decides whether a record was changed in the service by somebody else since docketsync last updated it, from what a list
// of the service tells; and puts a payload together in which some fields are theirs.
//
// It is pure. Stamps (when and by whom a record was last changed) are the service's and are compared with each other alone, so that its
// clock and ours may differ. How the stamp of an update of ours is known depends on what the list tells. Where it tells by whom, a
// record that one of our own accounts changed last is ours, and nothing has to be remembered. Where it tells only when, the list is read
// once more after a push (Learn), and the stamp of a record that shows what was sent is remembered; what was sent by a run that was cut
// off before that is recognised by its values.
//
// The decision that is not obvious is that what cannot be known is not sent: a record that the list lacks, or of which it tells too little,
// is Unknown, and whoever wants such records sent says so in the configuration.
package conflict
