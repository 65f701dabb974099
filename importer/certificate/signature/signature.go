// Package signature signs the files of a certificate, and finds out whether they are still what was signed. It needs
// neither the ledger nor the network.
//
// The signature is in a file of its own beside them, certificate.sig. So the page can be printed and signed by hand as
// it is, and no file has to leave its own signature out. certificate.sig is a JSON object that names the files with
// their SHA-256 and the head of the ledger's evidence, and has an Ed25519 signature over these, as text:
//
//	docketsync-signature/1
//	evidence ENTRY HASH
//	SHA-256  NAME          for each file, by name
//
// each line with a line feed. It contains no time, so the same certificate gets the same signature. Keys are PEM, as
// openssl makes and reads them (openssl genpkey -algorithm ed25519). The public key is in the file too, but that proves
// nothing: whoever verifies must say which key it should be.
package signature

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer/atomicfile"
	"docketsync/importer/ledger/chain"
)

const form = "docketsync-signature/1"

// Name is the name of the signature file.
const Name = "certificate.sig"

// signature is the content of that file. Members may be added to it; none changes its meaning.
type signature struct {
	Form      string   `json:"form"`
	PublicKey string   `json:"public_key"` // Base64 of the 32 bytes
	Key       string   `json:"key"`        // its fingerprint
	Evidence  Evidence `json:"evidence"`
	Files     []File   `json:"files"`
	Signature string   `json:"signature"` // Base64
}

// Evidence is the head of the ledger's evidence that a certificate carries.
type Evidence struct {
	Entry int64  `json:"entry"`
	Hash  string `json:"hash"` // hexadecimal
}

// Head returns the head in the form that chains use.
func (e Evidence) Head() (chain.Head, error) {
	hash, err := hex.DecodeString(e.Hash)
	return chain.Head{Number: e.Entry, Hash: hash}, err
}

// File is a file that was signed.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

func (s *signature) text() []byte {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\nevidence %d %s\n", form, s.Evidence.Entry, s.Evidence.Hash)
	for _, f := range s.Files {
		fmt.Fprintf(&text, "%s  %s\n", f.SHA256, f.Name)
	}
	return []byte(text.String())
}

// NewKey makes a key pair, in PEM form.
func NewKey() (private, public []byte, err error) {
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	of, err := x509.MarshalPKIXPublicKey(pub)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: of}), err
}

// PrivateKey reads a private key.
func PrivateKey(text string) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the signing key is not in PEM form: make one with 'docketsync certificate new-key FILE'")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := key.(ed25519.PrivateKey); ok && err == nil {
		return key, nil
	}
	return nil, errors.New("the signing key is not an Ed25519 private key: make one with 'docketsync certificate new-key FILE'")
}

// PublicKey reads a public key.
func PublicKey(text []byte) (ed25519.PublicKey, error) {
	if block, _ := pem.Decode(text); block != nil {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if key, ok := key.(ed25519.PublicKey); ok && err == nil {
			return key, nil
		}
	}
	return nil, errors.New("it is not an Ed25519 public key in PEM form")
}

// Fingerprint identifies a public key: the first 32 hexadecimal digits of its SHA-256, in groups of four.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	digits := hex.EncodeToString(sum[:16])
	var groups []string
	for at := 0; at < len(digits); at += 4 {
		groups = append(groups, digits[at:at+4])
	}
	return strings.Join(groups, " ")
}

// Sign signs files of one folder, and writes the signature beside them.
func Sign(dir string, names []string, evidence Evidence, key ed25519.PrivateKey) (path string, err error) {
	public := key.Public().(ed25519.PublicKey) // which every such key returns
	s := signature{Form: form, PublicKey: base64.StdEncoding.EncodeToString(public), Key: Fingerprint(public), Evidence: evidence}
	for _, name := range slices.Sorted(slices.Values(names)) {
		sum, err := digest(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		s.Files = append(s.Files, File{name, sum})
	}
	s.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(key, s.text()))
	path = filepath.Join(dir, Name)
	return path, atomicfile.Write(path, 0o640, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(s)
	})
}

func digest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// Problem is a reason not to trust a certificate.
type Problem struct {
	File string `json:"file"`
	What string `json:"what"`
}

// longestSignature is the largest size of a signature file.
const longestSignature = 1 << 20

// Verify finds the signature for a file, which is a file of a certificate or the signature itself, and says which of
// all files are not as they were signed. trusted is the key that must have signed, nil for any. The error says what
// kept Verify from finding out.
func Verify(path string, trusted ed25519.PublicKey) (*signature, []Problem, error) {
	dir := filepath.Dir(path)
	file, err := os.Open(filepath.Join(dir, Name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no %s beside %s: the certificate was not signed, or its signature was left behind", Name, path)
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	var s signature
	if err := json.NewDecoder(io.LimitReader(file, longestSignature)).Decode(&s); err != nil || s.Form != form {
		return nil, []Problem{{Name, "it cannot be read as a signature of this version of docketsync"}}, nil
	}
	key, badKey := base64.StdEncoding.DecodeString(s.PublicKey)
	signed, badSignature := base64.StdEncoding.DecodeString(s.Signature)
	switch {
	case badKey != nil || badSignature != nil || len(key) != ed25519.PublicKeySize:
		return &s, []Problem{{Name, "its key or signature cannot be read"}}, nil
	case trusted != nil && !trusted.Equal(ed25519.PublicKey(key)):
		return &s, []Problem{{Name, "it was made with the key " + Fingerprint(key) + ", not with " + Fingerprint(trusted)}}, nil
	case !ed25519.Verify(key, s.text(), signed):
		return &s, []Problem{{Name, "its signature is not valid: it was changed after it was made"}}, nil
	}
	s.Key = Fingerprint(key)
	problems, err := s.files(dir)
	if base := filepath.Base(path); base != Name && !slices.ContainsFunc(s.Files, func(f File) bool { return f.Name == base }) {
		problems = append(problems, Problem{base, "it is not among the files that were signed"})
	}
	return &s, problems, err
}

// files compares the files of a signature with what was signed.
func (s *signature) files(dir string) (problems []Problem, err error) {
	for _, f := range s.Files {
		if f.Name != filepath.Base(f.Name) {
			problems = append(problems, Problem{f.Name, "it is not the name of a file"})
			continue
		}
		sum, err := digest(filepath.Join(dir, f.Name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			problems = append(problems, Problem{f.Name, "it was signed, and is not here"})
		case err != nil:
			return problems, err
		case sum != f.SHA256:
			problems = append(problems, Problem{f.Name, "it was changed after it was signed"})
		}
	}
	return problems, nil
}
