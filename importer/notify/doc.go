// Package notify tells people how jobs fare, by mail and by chat, and tells a dead man's switch that a run happened.
//
// One message goes out for each change: a job broke, it is still broken (once a day), it has recovered; and, where a channel
// asks for it, a summary of the first run of a day that went well. A job is broken when its run could not be made or was
// stopped, when something is in doubt, and when more records were rejected or failed than the installation puts up with. An
// interrupted run is no news: somebody asked for it. While a job stays broken, a graver cause than the one that was told is
// told at once; a lesser one waits for the next day.
//
// What a channel was last told lies in the ledger, channel by channel, and is written after the message was taken. So a
// message that could not be sent is decided anew, and sent, by the next run; a mail server that is down never makes a run
// fail. Where the ledger itself cannot be had, what was told is remembered for as long as the process lasts.
//
// # One library, and why not another
//
// Mail goes through go-mail: attachments, STARTTLS that is required rather than hoped for, a certificate authority of one's
// own, a context. Slack, Teams and other hooks are one POST of a JSON object to an address that the firm was given, which
// net/http does with the same context, time limit and authorities. A library that speaks to many chats by URL (shoutrrr) was
// weighed: it attaches nothing, follows redirects, has no context, no authority of one's own and partly no time limit, its errors
// quote the address — which is the secret —, and its Teams is the connector that Microsoft has switched off.
//
// # What stands in a message
//
// Texts come from cells and from the service's answers: they are escaped in HTML, and stand in chats in places that take
// nothing for markup. Secrets that are known are taken out of every message, whoever put them there.
package notify
