package signin

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// hashCost is the cost of a guess: the second recommended option of RFC 9106 section 4.
var hashCost = cost{memoryKiB: 64 << 10, passes: 3, lanes: 4}

type cost struct {
	memoryKiB, passes uint32
	lanes             uint8
}

const (
	saltBytes = 16
	hashBytes = 32
)

// leastPassword is how many characters a password has at least.
const leastPassword = 12

// Suitable says why a password is too short for an account, nil if it is not; the lines after the first say what to do.
func Suitable(password string) error {
	if n := utf8.RuneCountInString(password); n < leastPassword {
		return fmt.Errorf("the password has %[2]d characters; at least %[1]d are required\nSeveral words are easy to remember and hard to guess", leastPassword, n)
	}
	return nil
}

// Hash returns the stored form of a password: argon2id as a PHC string.
func Hash(password string) string {
	c := hashCost
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password), salt, c.passes, c.memoryKiB, c.lanes, hashBytes)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memoryKiB, c.passes, c.lanes, encode(salt), encode(key))
}

// hashed is a password in its stored form.
type hashed struct {
	cost
	salt, key []byte
}

var errHash = errors.New("this is not an argon2id hash; create one with 'docketsync console password'")

// parseHash reads a PHC string. It refuses costs that are more than a machine has, or too low.
func parseHash(text string) (h hashed, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return h, errHash
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memoryKiB, &h.passes, &h.lanes); err != nil || n != 3 {
		return h, errHash
	}
	if h.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return h, errHash
	}
	if h.key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return h, errHash
	}
	if h.lanes < 1 || h.passes < 1 || h.passes > 64 || h.memoryKiB < 8*uint32(h.lanes) || h.memoryKiB > 1<<20 || len(h.salt) < 8 || len(h.key) < 16 || len(h.key) > 64 {
		return h, errHash
	}
	return h, nil
}

// fits reports whether a password is the right one, in a time that does not reveal how near it is.
func (h hashed) fits(password string) bool {
	key := argon2.IDKey([]byte(password), h.salt, h.passes, h.memoryKiB, h.lanes, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(key, h.key) == 1
}
