// Package pace lets requests begin as fast as the service takes them, and no faster. Nobody states a limit, so it is learned.
//
// A request acquires a Turn and releases it with Feedback: what became of it and how long it took. Three things decide when the next
// one may begin, each a value without clock or lock that tells the same for the same history:
//
//   - rateController: requests per second. It climbs until the service answers 429, drops, and climbs again.
//   - concurrencyLimit: requests under way at once. It grows while answers come as quickly as they did from a service with little to
//     do (the baseline, which is measured anew now and then), and shrinks when they take longer or when many are 503.
//   - breaker: after Options.Trip failures in a row all sending pauses, and then one request at a time probes until one is served.
//
// Nothing else slows it down, so that a service that fails now and then is not mistaken for one that is full. After several refusals in
// a row (429, 503) all sending pauses too; after Options.GiveUp without any success the Pacer gives up for good.
//
// Why concurrency is learned from latency: below the default ceiling of 8 it makes no difference, but a service that thrashes with more
// than 8 at once serves, of its best rate, 47 % at a fixed 32 and 25 % at a fixed 64, and 97 % as learned; one that is not slowed down
// loses 1 % (TestPacerKeepsNearTheBestConcurrency). So a high ceiling in the configuration does no harm.
//
// The package imports nothing of ours: what an answer means for the pace is said by the client.
package pace
