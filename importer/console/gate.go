package console

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// The tries of a sign-in. A name has fewer than an address, behind which a whole office may sit.
const (
	nameTries, nameEvery       = 6, 30 * time.Second
	addressTries, addressEvery = 30, 3 * time.Second
)

// hashesAtOnce bounds the memory that passwords are checked in, 64 MiB each.
const hashesAtOnce = 2

// gate decides who comes in with a password.
type gate struct {
	users     map[string]gateUser // by their names in small letters
	stranger  hashed              // what the password of a name is compared with that nobody has, so that it takes as long
	names     *throttle
	addresses *throttle
	turn      chan struct{}
	now       func() time.Time
}

type gateUser struct {
	Person
	hash hashed
}

func newGate(o Options) (*gate, error) {
	g := &gate{users: map[string]gateUser{}, names: newThrottle(nameEvery, nameTries), addresses: newThrottle(addressEvery, addressTries),
		turn: make(chan struct{}, hashesAtOnce), now: o.now}
	g.stranger = hashed{cost: hashCost, salt: make([]byte, saltBytes), key: make([]byte, hashBytes)}
	for _, user := range o.Users {
		h, err := parseHash(user.Hash)
		if err != nil {
			return nil, fmt.Errorf("the user %s: %w", user.Name, err)
		}
		g.users[strings.ToLower(user.Name)] = gateUser{Person{Name: user.Name, Role: user.Role}, h}
		g.stranger.cost = h.cost
	}
	return g, nil
}

// verdict is what became of a try.
type verdict struct {
	Person Person
	In     bool
	// Slowed says that there were too many tries, and News that this is the first one to be told so.
	Slowed, News bool
	Known        bool // the name is somebody's
}

// try decides about a name and a password from an address.
func (g *gate) try(ctx context.Context, name, password, address string) (verdict, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	user, known := g.users[name]
	v := verdict{Known: known, Person: user.Person}
	byAddress, news := g.addresses.take(network(address), g.now())
	if byAddress {
		var byName bool
		if byName, news = g.names.take(name, g.now()); byName {
			fits, err := g.fits(ctx, user.hash, known, password)
			if fits && err == nil {
				v.In = true
				g.names.reset(name)
			}
			return v, err
		}
	}
	v.Slowed, v.News = true, news
	return v, nil
}

// knock uses up a try of an address for a sign-in that needs no password here; it is false when the address has none left.
func (g *gate) knock(address string) bool {
	ok, _ := g.addresses.take(network(address), g.now())
	return ok
}

// network is what the tries of an address count for: of IPv6 the first 64 bits, since a machine may give itself any address of
// those that begin so (RFC 4291 section 2.5.1).
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || !a.Is6() {
		return address
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}

func (g *gate) fits(ctx context.Context, h hashed, known bool, password string) (bool, error) {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if !known {
		h = g.stranger
	}
	return h.fits(password) && known, nil
}
