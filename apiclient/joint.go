package apiclient

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"docketsync/apiclient/pace"
)

const (
	// lostFor is for how long nobody tries a sign-in again that was refused, with the same configuration.
	lostFor = time.Minute
	// lookAgain is how often a process looks whether the one that signs in has done so.
	lookAgain = 200 * time.Millisecond
	// settleWithin is how long it is tried to leave a cookie to the others.
	settleWithin = 2 * time.Second
)

// jointSession is the session that several processes have in common. One of them signs in, and leaves the cookie to the others, sealed
// with a key that is derived from what all have in their configurations; whoever reads it without that has nothing.
type jointSession struct {
	kept    pace.Shared
	name    string
	seal    cipher.AEAD
	most    time.Duration // how long a sign-in may take
	secrets *redactor
}

func newJointSession(o Options, secrets *redactor) *jointSession {
	a := o.signedIn()
	block, err := aes.NewCipher(a.key("seal of the cookie", 32))
	if err != nil {
		panic(err) // the length
	}
	seal, _ := cipher.NewGCMWithRandomNonce(block) // of AES
	return &jointSession{kept: o.Shared.under(a.name), name: a.name, seal: seal, most: (signInTries + 1) * o.Timeout, secrets: secrets}
}

// keptSession is what is kept of a session, as JSON.
type keptSession struct {
	Generation int       `json:"generation"`       // of the cookie
	Sealed     []byte    `json:"sealed,omitempty"` // the cookie
	Renewing   time.Time `json:"renewing,omitzero"`
	By         string    `json:"by,omitempty"`   // who signs in, until Renewing
	Lost       *Error    `json:"lost,omitempty"` // why there is no cookie to be had
	Since      time.Time `json:"since,omitzero"` // when it was lost
}

func (j *jointSession) about(generation int) []byte {
	return fmt.Appendf(nil, "%s %d", j.name, generation)
}

func (j *jointSession) put(k *keptSession, now pass) {
	*k = keptSession{Generation: now.generation, Sealed: j.seal.Seal(nil, nil, []byte(now.cookie), j.about(now.generation))}
}

// cookie opens what is sealed; "" where that is not for us.
func (j *jointSession) cookie(k keptSession) string {
	text, err := j.seal.Open(nil, nil, k.Sealed, j.about(k.Generation))
	if err != nil {
		return ""
	}
	j.secrets.add(string(text))
	return string(text)
}

// renew gets a newer cookie than the one at hand: one that another process has got already, or one by signing in while all others wait.
// joins tells that the one at hand is not known to be too old; it stays if there is no newer one.
func (j *jointSession) renew(ctx context.Context, now pass, joins bool, signIn func(ctx context.Context, generation int) (pass, *Error)) (pass, *Error) {
	mark := rand.Text()
	for {
		next, lost, mine, err := j.look(ctx, now, joins, mark)
		switch {
		case lost != nil || next.cookie != "":
			return next, lost
		case mine && err == nil:
			limited, cancel := context.WithTimeout(ctx, j.most)
			defer cancel()
			next, lost = signIn(limited, next.generation)
			j.settle(mark, next, lost, ctx.Err() != nil)
			return next, lost
		}
		if pause(ctx, lookAgain) != nil {
			return pass{}, cancelled(ctx)
		}
	}
}

// look finds what the others have, and makes the sign-in this process's where none of them is at it.
func (j *jointSession) look(ctx context.Context, now pass, joins bool, mark string) (next pass, lost *Error, mine bool, err error) {
	err = j.change(ctx, func(at time.Time, k *keptSession) {
		switch cookie := j.cookie(*k); {
		case k.Lost != nil && at.Sub(k.Since) < lostFor:
			lost = k.Lost
		case cookie != "" && (k.Generation > now.generation || joins):
			next = pass{cookie, k.Generation}
		case joins:
			j.put(k, now)
			next = now
		case at.Before(k.Renewing) && k.By != mark:
		default:
			mine, next.generation = true, max(k.Generation, now.generation)+1
			k.Renewing, k.By, k.Lost = at.Add(j.most+lookAgain), mark, nil
		}
	})
	if err != nil { // it is unknown whether that was kept; who has the mark is asked for again
		return pass{}, nil, false, err
	}
	return next, lost, mine, nil
}

// settle leaves what came of the sign-in to the others. One that was broken off here says nothing. Whoever waits for the cookie here waits
// for this as well, so it does not take long.
func (j *jointSession) settle(mark string, now pass, lost *Error, brokenOff bool) {
	ctx, cancel := context.WithTimeout(context.Background(), settleWithin)
	defer cancel()
	for j.change(ctx, func(at time.Time, k *keptSession) {
		switch {
		case k.By != mark: // it took too long, and another one is at it
		case lost != nil && brokenOff:
			k.Renewing = time.Time{}
		case lost != nil:
			*k = keptSession{Generation: k.Generation, Lost: lost, Since: at}
		default:
			j.put(k, now)
		}
	}) != nil {
		if pause(ctx, lookAgain) != nil {
			return // the others find out after the time that a sign-in may take
		}
	}
}

func (j *jointSession) change(ctx context.Context, change func(at time.Time, k *keptSession)) error {
	return j.kept(ctx, func(at time.Time, text []byte) []byte {
		var k keptSession
		_ = json.Unmarshal(text, &k) // what cannot be read is as good as nothing
		change(at, &k)
		text, _ = json.Marshal(k)
		return text
	})
}
