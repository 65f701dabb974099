package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shout answers each line in capitals, and says what it heard before the connection ended.
type shout struct {
	listener net.Listener
	heard    chan string
}

func newShout(t *testing.T) *shout {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &shout{listener, make(chan string, 100)}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *shout) serve(conn net.Conn) {
	defer conn.Close()
	var heard strings.Builder
	defer func() { s.heard <- heard.String() }()
	buffer := make([]byte, 1024)
	line := ""
	for {
		n, err := conn.Read(buffer)
		heard.Write(buffer[:n])
		if line += string(buffer[:n]); strings.HasSuffix(line, "\n") {
			_, _ = conn.Write([]byte(strings.ToUpper(line)))
			line = ""
		}
		if err != nil {
			return
		}
	}
}

func through(t *testing.T, s *shout, weather netWeather) *netProxy {
	t.Helper()
	proxy, err := netListen(s.listener.Addr().String(), weather)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return proxy
}

func dial(t *testing.T, proxy *netProxy) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", proxy.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}

func TestFaultsStrikeWhereTheySay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		fault    netFault
		answer   string // what the client gets of the answer to "hello\n"
		heard    string // what the server has heard in the end
		orderly  bool   // the client sees an end rather than a reset
		goesDead bool   // the client sees neither, and must give up by itself
	}{
		{"a good connection passes all on", netFault{}, "HELLO\n", "hello\n", true, false},
		{"a cut before the first byte", netFault{Kind: netCut, Way: netUp}, "", "", true, false},
		{"a cut inside the request", netFault{Kind: netCut, Way: netUp, After: 3}, "", "hel", true, false},
		{"a cut when the request was written", netFault{Kind: netCut, Way: netDown}, "", "hello\n", true, false},
		{"a cut inside the answer", netFault{Kind: netCut, Way: netDown, After: 2}, "HE", "hello\n", true, false},
		{"a stall inside the request", netFault{Kind: netStall, Way: netUp, After: 3}, "", "hel", true, true},
		{"a stall inside the answer", netFault{Kind: netStall, Way: netDown, After: 2}, "HE", "hello\n", true, true},
		{"the end of the requests alone", netFault{Kind: netHalf, Way: netUp, After: 3}, "", "hel", true, false},
		{"the end of the answers alone", netFault{Kind: netHalf, Way: netDown, After: 2}, "HE", "hello\nmore", true, false},
		{"a slow answer", netFault{Kind: netSlow, Way: netDown, After: 2, Rate: 1000}, "HELLO\n", "hello\n", true, false},
		{"a slow request", netFault{Kind: netSlow, Way: netUp, Rate: 1000}, "HELLO\n", "hello\n", true, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShout(t)
			proxy := through(t, s, func(int64) netFault { return test.fault })
			conn := dial(t, proxy)
			if _, err := conn.Write([]byte("hello\n")); err != nil {
				t.Fatal(err)
			}
			answer := make([]byte, len(test.answer))
			if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != test.answer {
				t.Fatalf("the answer is %q, and then %v", answer, err)
			}
			if test.heard == "hello\nmore" {
				_, _ = conn.Write([]byte("more"))
			}
			if test.goesDead {
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
				if _, err := conn.Read(make([]byte, 1)); !isTimeout(err) {
					t.Errorf("a stalled connection said %v", err)
				}
				_ = conn.Close()
			} else {
				_ = conn.CloseWrite()
				if rest, err := io.ReadAll(conn); len(rest) > 0 || test.orderly != (err == nil) {
					t.Errorf("the connection ends with %q and %v", rest, err)
				}
			}
			if heard := <-s.heard; heard != test.heard {
				t.Errorf("the server heard %q, want %q", heard, test.heard)
			}
			if struck := proxy.Struck() == 1; struck != (test.fault.Kind != netNone) {
				t.Errorf("the proxy counts %d struck", proxy.Struck())
			}
		})
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func TestRefusedConnectionNeverReachesTheServer(t *testing.T) {
	t.Parallel()
	for _, reset := range []bool{false, true} {
		t.Run(fmt.Sprintf("reset %t", reset), func(t *testing.T) {
			t.Parallel()
			s := newShout(t)
			first := func(n int64) netFault {
				if n == 0 {
					return netFault{Kind: netRefuse, Reset: reset}
				}
				return netFault{}
			}
			proxy := through(t, s, first)
			conn, err := net.Dial("tcp", proxy.Address())
			if err == nil { // a reset may come before the client knows that it is connected
				_, err = io.ReadAll(conn)
				_ = conn.Close()
			}
			if reset != (err != nil) {
				t.Errorf("the refused connection ended with %v", err)
			}
			second := dial(t, proxy)
			_, _ = second.Write([]byte("hello\n"))
			_ = second.CloseWrite()
			if answer, err := io.ReadAll(second); string(answer) != "HELLO\n" || err != nil {
				t.Errorf("the second connection said %q, %v", answer, err)
			}
			if heard := <-s.heard; heard != "hello\n" || proxy.Connections() != 2 {
				t.Errorf("the server heard %q on %d connections", heard, proxy.Connections())
			}
		})
	}
}

func TestNobodyListensWhileTheNetworkIsGone(t *testing.T) {
	t.Parallel()
	for pause, refused := range map[time.Duration]bool{time.Hour: true, time.Millisecond: false} {
		t.Run(pause.String(), func(t *testing.T) {
			t.Parallel()
			s := newShout(t)
			proxy := through(t, s, func(n int64) netFault {
				if n == 0 {
					return netFault{Kind: netGone, For: pause}
				}
				return netFault{}
			})
			if rest, _ := io.ReadAll(dial(t, proxy)); len(rest) > 0 || proxy.Struck() != 1 {
				t.Errorf("the first connection said %q, %d are struck", rest, proxy.Struck())
			}
			conn, err := net.Dial("tcp", proxy.Address())
			for err != nil && !refused { // until it is back
				conn, err = net.Dial("tcp", proxy.Address())
			}
			if refused {
				if err == nil || isTimeout(err) {
					t.Errorf("a connection to where nobody listens ended with %v", err)
				}
				return
			}
			defer conn.Close()
			_, _ = conn.Write([]byte("hello\n"))
			_ = conn.(*net.TCPConn).CloseWrite()
			if answer, err := io.ReadAll(conn); string(answer) != "HELLO\n" || err != nil {
				t.Errorf("the second connection said %q, %v", answer, err)
			}
		})
	}
}

func TestCutByReset(t *testing.T) {
	t.Parallel()
	s := newShout(t)
	proxy := through(t, s, func(int64) netFault {
		return netFault{Kind: netCut, Way: netDown, After: 1, Reset: true}
	})
	conn := dial(t, proxy)
	_, _ = conn.Write([]byte("hello\n"))
	if answer, err := io.ReadAll(conn); err == nil || isTimeout(err) {
		t.Errorf("the connection ended with %q and %v", answer, err)
	}
}

func TestCloseEndsStalledConnections(t *testing.T) {
	t.Parallel()
	s := newShout(t)
	proxy := through(t, s, func(int64) netFault { return netFault{Kind: netStall, Way: netUp, After: 1} })
	conn := dial(t, proxy)
	_, _ = conn.Write([]byte("hello\n"))
	for proxy.Struck() == 0 {
		_, _ = conn.Write([]byte("hello\n"))
	}
	if err := proxy.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(conn); isTimeout(err) {
		t.Error("the connection is still open")
	}
}

func TestStormIsTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	faults := []netFault{{Kind: netRefuse}, {Kind: netCut, Way: netUp, After: 500}, {Kind: netStall, Way: netDown, After: 500}}
	list := func(seed uint64, share float64) (all []netFault, struck int) {
		weather := netStorm(seed, share, faults...)
		for n := range int64(1000) {
			f := weather(n)
			if f.Kind != netNone {
				struck++
			}
			if f.After < 0 || f.After > 500 {
				t.Fatalf("a fault comes after %d bytes", f.After)
			}
			all = append(all, f)
		}
		return all, struck
	}
	one, struck := list(7, 0.3)
	again, _ := list(7, 0.3)
	other, _ := list(8, 0.3)
	if !cmp.Equal(one, again) || cmp.Equal(one, other) {
		t.Error("a seed does not decide about the faults")
	}
	if struck < 200 || struck > 400 {
		t.Errorf("%d of 1000 connections are struck, want about 300", struck)
	}
	if _, all := list(7, 1); all != 1000 {
		t.Errorf("%d of 1000 connections are struck, want all", all)
	}
}
