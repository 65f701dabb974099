// Package pace lets requests begin as fast as the service takes them, and no faster. The service states no limit, so
// the package learns it.
//
// A request acquires a Turn and releases it with Feedback: what became of it and how long it took. Three things decide
// when the next one may begin. Each is a value without clock or lock that gives the same results for the same history.
// The first and the last, together with the pauses, concern the account that the requests are sent for, and form an
// account:
//
//   - rateController: requests per second. It climbs until the service answers 429, drops, and climbs again.
//   - concurrencyLimit: requests under way at once. It grows while answers come as quickly as from a service with
//     little to do (the baseline, which is measured anew now and then). It shrinks when answers take longer or many are
//     503.
//   - breaker: after Options.Trip failures in a row all sending pauses. Then one request at a time probes until one is
//     served.
//
// Nothing else slows it down, so a service that fails now and then is not mistaken for a full one. After several
// refusals in a row (429, 503) all sending pauses as well. After Options.GiveUp without any success, or twice that
// while the same request is retried, the Pacer gives up for good.
//
// Why concurrency is learned from latency: below the default ceiling of 8 it makes no difference. But a service that
// thrashes with more than 8 requests at once serves 47 % of its best rate at a fixed 32, 25 % at a fixed 64, and 97 %
// with the learned limit; a service that does not slow down loses 1 % (TestPacerKeepsNearTheBestConcurrency). So a high
// ceiling in the configuration does no harm.
//
// # Several processes on one account
//
// Several Pacers that send for one account without knowing of each other find its limit nearly as well as one, on
// average. But each makes its own requests to find out that a service fails, probes it by itself, and continues while
// another one was told to wait. With Options.Shared they have one account, in a row that one Pacer at a time may
// change.
//
// Every 50 ms an active Pacer exchanges: it reports what became of its requests, and takes permits for as many requests
// as it will begin until the next exchange (65 ms plus the duration of an exchange). The account's rate grants these
// permits ahead of time. So a thousand requests a second need no more exchanges than a hundred. While no limit was met
// and nothing fails, the exchange is every 200 ms; the first trouble voids the permits granted ahead. If an exchange
// takes more than some 20 ms, the processes wait for each other, and a high limit is not reached. If there are fewer
// permits than requested, they are spread over time. Unused permits are given back.
//
// A permit records how often the rate had dropped and the breaker had changed when it was granted, and is void after
// the next such event. Answers to requests that began with a void permit say nothing, just as in a single process
// answers to requests that were already under way. Without that, four processes would lower the rate four times for one
// refusal. Permits granted ahead before a drop are taken back only as far as the new rate would have granted them. If
// all were taken back, everybody would send twice as much right after a drop (3 to 7 % of 429s instead of 1 % in the
// drills of this package). If none were, nothing would be sent for seconds after the first drop, from a rate that had
// doubled far beyond the limit.
//
// Each process learns for itself how many requests may be under way at once, because it learns this from latency, which
// all of them see. Times are by the clock of whoever keeps the row. An account that nobody has used for a minute starts
// anew, as for a process that starts alone. There is only one controller: a Pacer that is alone has the same account in
// memory, takes permits one by one, and reports each answer at once.
//
// The package imports nothing of ours: the client says what an answer means for the pace.
package pace
