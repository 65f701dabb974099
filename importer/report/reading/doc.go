// Package reading shows what the readers noted about the files of a run: what they found out about each (Detections), what they
// warn of, which lists of the service were used, and which names rows spell otherwise than the lookup does.
//
// Notes are JSON that the run keeps. They are shown as they are, whatever their members, so that a reader may learn to say more without
// a report having to know.
package reading
