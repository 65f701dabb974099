package main

import (
	"net/url"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/cmd/docketsync/internal/installation"
)

// TestNetworkFaultsLoseNothing imports a firm, by all four operations, through a network that misbehaves: with the faults of
// each kind; in the long form also with each fault alone, and with all of them. Nothing may be missing in the end, and nothing be there twice. Requests time out soon,
// so that what stalls ends soon.
func TestNetworkFaultsLoseNothing(t *testing.T) {
	t.Parallel()
	size := setting(t, "", 6, 12)
	// A request of these jobs is of some 500 to 900 bytes, as is an answer; a connection carries several.
	const bytes = 2000
	faults := map[string][]netFault{
		"refused and gone": {{Kind: netRefuse}, {Kind: netGone, For: 5 * time.Millisecond}},
		"cut": {
			{Kind: netCut, Way: netUp},                 // before a byte
			{Kind: netCut, Way: netUp, After: bytes},   // in mid-request
			{Kind: netCut, Way: netDown},               // when the request was written
			{Kind: netCut, Way: netDown, After: bytes}, // in mid-answer
		},
		"stalled": {{Kind: netStall, Way: netUp, After: bytes}, {Kind: netStall, Way: netDown, After: bytes}},
		"half":    {{Kind: netHalf, Way: netUp, After: bytes}, {Kind: netHalf, Way: netDown, After: bytes}},
		"slow": {
			{Kind: netSlow, Way: netUp, After: bytes, Rate: 20_000},
			{Kind: netSlow, Way: netDown, After: bytes, Rate: 20_000},
			{Kind: netSlow, Way: netDown, Rate: 2_000}, // slower than the client waits
		},
	}
	weather := calmWeather(t, size, setting(t, "", 2, 3))
	through := func(name string, seed uint64, faults ...netFault) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			weather.importThrough(t, netStorm(seed, 0.6, faults...))
		})
	}
	var all []netFault
	for kind, list := range faults {
		through(kind, 1, list...)
		all = append(all, list...)
	}
	if setting(t, "", 0, 1) == 0 {
		return
	}
	for _, fault := range all {
		through(fault.String(), 1, fault)
	}
	through("all", 2, all...)
}

// importThrough imports all editions of a firm through a network.
func (w *stormForecast) importThrough(t *testing.T, weather netWeather) {
	t.Helper()
	f, box := calmService(t, w.size, sandbox.Faults{})
	base, err := url.Parse(f.service)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := netListen(base.Host, weather)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	f.write(t, "http://"+proxy.Address())
	nights, doubts := w.importAll(t, f, box, func(in *installation.Installation) { in.Config.Service.Timeout = 150 * time.Millisecond })
	if proxy.Struck() == 0 {
		t.Error("the network did nothing")
	}
	t.Logf("%d of %d connections struck, %d doubts, %d runs", proxy.Struck(), proxy.Connections(), doubts, nights)
}

// importAll imports all editions, settling what is in doubt after each run by looking into the service.
func (w *stormForecast) importAll(t *testing.T, f stormFirm, box *sandbox.Server, change func(*installation.Installation)) (nights, doubts int) {
	t.Helper()
	for edition := range w.editions {
		f.export(t, edition)
		for settled := false; !settled; {
			nights += f.runUntilDone(t, change)
			books, err := box.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			n := w.check(t, f, books, edition)
			doubts += n
			settled = n == 0
		}
	}
	return nights, doubts
}
