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
	// lostFor is how long nobody with the same configuration repeats a refused sign-in.
	lostFor = time.Minute
	// lookAgain is how often a process looks whether the one that signs in has finished.
	lookAgain = 200 * time.Millisecond
	// settleWithin is how long a process tries to store a new cookie for the others.
	settleWithin = 2 * time.Second
)

// jointSession is the session that several processes share. One of them signs in and stores the cookie for the others,
// encrypted with a key derived from what all have in their configuration. Without that key the stored cookie is
// useless.
type jointSession struct {
	kept    pace.Shared
	name    string
	seal    cipher.AEAD
	most    time.Duration // the maximum time for a sign-in
	secrets *redactor
}

func newJointSession(o Options, secrets *redactor) *jointSession {
	a := o.signedIn()
	block, err := aes.NewCipher(a.key("seal of the cookie", 32))
	if err != nil {
		panic(err) // only a wrong length fails
	}
	seal, _ := cipher.NewGCMWithRandomNonce(block) // AES always has the right block size
	return &jointSession{kept: o.Shared.under(a.name), name: a.name, seal: seal, most: (signInTries + 1) * o.Timeout, secrets: secrets}
}

// keptSession is the stored state of a session, as JSON.
type keptSession struct {
	Generation int       `json:"generation"`       // of the cookie
	Sealed     []byte    `json:"sealed,omitempty"` // the encrypted cookie
	Renewing   time.Time `json:"renewing,omitzero"`
	By         string    `json:"by,omitempty"`   // who signs in, until Renewing
	Lost       *Error    `json:"lost,omitempty"` // why there is no cookie
	Since      time.Time `json:"since,omitzero"` // when the session was lost
}

func (j *jointSession) about(generation int) []byte {
	return fmt.Appendf(nil, "%s %d", j.name, generation)
}

func (j *jointSession) put(k *keptSession, now pass) {
	*k = keptSession{Generation: now.generation, Sealed: j.seal.Seal(nil, nil, []byte(now.cookie), j.about(now.generation))}
}

// cookie decrypts the stored cookie. It returns "" if it cannot.
func (j *jointSession) cookie(k keptSession) string {
	text, err := j.seal.Open(nil, nil, k.Sealed, j.about(k.Generation))
	if err != nil {
		return ""
	}
	j.secrets.add(string(text))
	return string(text)
}

// renew gets a newer cookie than the current one: from another process that already has one, or by signing in while all
// others wait. joins says that the current cookie is not known to be too old; it stays if there is no newer one.
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

// look reads what the others have stored. If none of them is signing in, it claims the sign-in for this process.
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
	if err != nil { // the claim may or may not be stored; the next look recognizes this process by its mark
		return pass{}, nil, false, err
	}
	return next, lost, mine, nil
}

// settle stores the result of the sign-in for the others. A sign-in that was interrupted here says nothing. Callers
// that wait for the cookie wait for settle as well, so it must not take long.
func (j *jointSession) settle(mark string, now pass, lost *Error, brokenOff bool) {
	ctx, cancel := context.WithTimeout(context.Background(), settleWithin)
	defer cancel()
	for j.change(ctx, func(at time.Time, k *keptSession) {
		switch {
		case k.By != mark: // it took too long, and another process has taken over
		case lost != nil && brokenOff:
			k.Renewing = time.Time{}
		case lost != nil:
			*k = keptSession{Generation: k.Generation, Lost: lost, Since: at}
		default:
			j.put(k, now)
		}
	}) != nil {
		if pause(ctx, lookAgain) != nil {
			return // the others find out when the time for a sign-in is over
		}
	}
}

func (j *jointSession) change(ctx context.Context, change func(at time.Time, k *keptSession)) error {
	return j.kept(ctx, func(at time.Time, text []byte) []byte {
		var k keptSession
		_ = json.Unmarshal(text, &k) // unreadable state counts as none
		change(at, &k)
		text, _ = json.Marshal(k)
		return text
	})
}
