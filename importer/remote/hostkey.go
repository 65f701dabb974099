package remote

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// identity returns the check of the server's key, and the algorithms to ask it for a key with, in the order in which to
// try them: a server has several keys and shows one.
func (s SFTP) identity() (check ssh.HostKeyCallback, families [][]string, err error) {
	if s.Fingerprint != "" {
		return s.pinned(), [][]string{algorithms(ssh.KeyAlgoED25519), algorithms(ssh.KeyAlgoECDSA256), algorithms(ssh.KeyAlgoRSA)}, nil
	}
	known, err := knownhosts.New(s.KnownHosts)
	if err != nil {
		return nil, nil, &Error{What: "the known_hosts file cannot be read", Err: err, Hint: "It is made with: ssh-keyscan HOST; compare the keys with what the server's operator says they are."}
	}
	// With a key that cannot be right, the check tells which keys would be.
	none, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		return nil, nil, err
	}
	var asked *knownhosts.KeyError
	if err := known(s.address(), &net.TCPAddr{IP: net.IPv4zero}, none); !errors.As(err, &asked) || len(asked.Want) == 0 {
		return nil, nil, &Error{What: fmt.Sprintf("the host key of %s is not known, so its identity cannot be verified", s.address()),
			Hint: "Add its key to " + s.KnownHosts + ", as ssh-keyscan prints it, once its operator has confirmed it."}
	}
	var all []string
	for _, want := range asked.Want {
		for _, name := range algorithms(want.Key.Type()) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return func(host string, at net.Addr, key ssh.PublicKey) error {
		if err := known(host, at, key); err != nil {
			return impostor(s.address(), key, "what "+s.KnownHosts+" says")
		}
		return nil
	}, [][]string{all}, nil
}

// algorithms lists those that prove a key of a type.
func algorithms(keyType string) []string {
	switch {
	case keyType == ssh.KeyAlgoRSA:
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	case keyType == ssh.KeyAlgoECDSA256:
		return []string{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521}
	}
	return []string{keyType}
}

// errOtherKey says that the server showed a key that is not the pinned one; it may have another.
var errOtherKey = errors.New("not the pinned key")

func (s SFTP) pinned() ssh.HostKeyCallback {
	return func(_ string, _ net.Addr, key ssh.PublicKey) error {
		if ssh.FingerprintSHA256(key) == strings.TrimRight(s.Fingerprint, "=") {
			return nil
		}
		return errors.Join(errOtherKey, impostor(s.address(), key, "the fingerprint in the configuration"))
	}
}

func impostor(address string, key ssh.PublicKey, known string) error {
	return &Error{What: fmt.Sprintf("the server %s showed a key (%s, %s) that is not %s; nothing was asked of it and no password given",
		address, key.Type(), ssh.FingerprintSHA256(key), known),
		Hint: "Someone may be intercepting the connection, or the server has a new key: confirm it with the server's operator, by phone for example, before you trust the new key."}
}
