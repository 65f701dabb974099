// Package pace lets requests begin as fast as the service takes them, and no faster. Nobody states a limit, so it is learned.
//
// A request acquires a Turn and releases it with Feedback: what became of it and how long it took. Three things decide when the next
// one may begin, each a value without clock or lock that tells the same for the same history. The first and the last, and the pauses, are
// about the account that the requests are sent for, and make up an account:
//
//   - rateController: requests per second. It climbs until the service answers 429, drops, and climbs again.
//   - concurrencyLimit: requests under way at once. It grows while answers come as quickly as they did from a service with little to
//     do (the baseline, which is measured anew now and then), and shrinks when they take longer or when many are 503.
//   - breaker: after Options.Trip failures in a row all sending pauses, and then one request at a time probes until one is served.
//
// Nothing else slows it down, so that a service that fails now and then is not mistaken for one that is full. After several refusals in
// a row (429, 503) all sending pauses too; after Options.GiveUp without any success, or twice that while the same is asked again, the Pacer gives up for good.
//
// Why concurrency is learned from latency: below the default ceiling of 8 it makes no difference, but a service that thrashes with more
// than 8 at once serves, of its best rate, 47 % at a fixed 32 and 25 % at a fixed 64, and 97 % as learned; one that is not slowed down
// loses 1 % (TestPacerKeepsNearTheBestConcurrency). So a high ceiling in the configuration does no harm.
//
// # Several processes on one account
//
// Several Pacers that send for one account and do not know of each other find its limit in the mean nearly as well as one. But each makes its
// own requests to find out that a service fails, probes it by itself, and goes on while another one was told to wait. With
// Options.Shared they have one account, in a row that one at a time may change. Every 50 ms a Pacer that has something to do exchanges: it tells what became of
// its requests, and takes permits for as many as it is going to begin until the next exchange, 65 ms and what an exchange takes, which the
// account's rate gives out ahead of time. So a thousand requests a second cost no more exchanges than a hundred. While no limit was met and nothing fails
// it is every 200 ms, and the first trouble ends what was given ahead. Where an exchange takes more
// than some 20 ms, the processes wait for each other, and a high limit is not reached. Where there are fewer
// permits than were asked for they are spread, and what is not used is given back.
//
// A permit bears the number of drops of the rate and of changes of the breaker that it was given under, and is void after the next one. The
// answers to requests that began with a void permit say nothing, just as in a single process those to requests that were under way: without
// that, four processes would take the rate down four times for one refusal. What was given ahead before a drop is only taken back as far as
// the new rate would have given it: given back as a whole, everybody sends twice as much right after a drop (3 to 7 % of 429s instead
// of 1, in the drills of this package); not at all, nothing is sent for seconds after the first drop, from a rate that had doubled far beyond the limit.
//
// How many requests are under way at once is learned by each for itself, as it is from latency, which all of them see. Times are by the
// clock of whoever keeps the row. An account that nobody has used for a minute begins anew, as a process that begins alone does. There is
// one controller: a Pacer that is alone has the same account in memory, takes permits one by one, and tells each answer at once.
//
// The package imports nothing of ours: what an answer means for the pace is said by the client.
package pace
