package console_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// provider is a small provider of OpenID Connect: it answers over HTTPS, keeps codes for one use, checks the verifier of the code
// (RFC 7636) and signs its tokens.
type provider struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey

	mu     sync.Mutex
	who    map[string]any // the claims of whoever signs in next
	spoil  func(token, grant map[string]any)
	grants map[string]url.Values // what was asked for, by the code
}

const (
	clientID     = "docketsync"
	clientSecret = "a secret of the provider"
)

// providerKey is that of all providers: making one takes long.
var providerKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newProvider(t *testing.T) *provider {
	t.Helper()
	key := providerKey()
	p := &provider{t: t, key: key, grants: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, 200, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}, "scopes_supported": []string{"openid", "groups"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, 200, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one",
			"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewTLSServer(mux)
	t.Cleanup(p.Close)
	return p
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func (p *provider) answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// authorize takes everybody for who signs in next, and sends them back with a code.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	if asked.Get("client_id") != clientID || asked.Get("response_type") != "code" || asked.Get("code_challenge_method") != "S256" ||
		!strings.Contains(asked.Get("scope"), "openid") || asked.Get("nonce") == "" || asked.Get("state") == "" {
		http.Error(w, "what is this? "+r.URL.String(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	code := rand.Text()
	p.grants[code] = asked
	p.mu.Unlock()
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode(), http.StatusFound)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if unescaped, err := url.QueryUnescape(secret); err == nil {
		secret = unescaped
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, ok := p.grants[r.FormValue("code")]
	delete(p.grants, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || id != clientID || secret != clientSecret || encode(sum[:]) != asked.Get("code_challenge") || r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		p.answer(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": p.URL, "aud": clientID, "sub": "1", "nonce": asked.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	maps.Copy(claims, p.who)
	grant := map[string]any{"access_token": "for nothing", "token_type": "Bearer"}
	if p.spoil != nil {
		p.spoil(claims, grant)
	}
	if grant["id_token"] == nil {
		grant["id_token"] = p.sign(claims, p.key)
	}
	p.answer(w, 200, grant)
}

func (p *provider) sign(claims map[string]any, key *rsa.PrivateKey) string {
	head, _ := json.Marshal(map[string]any{"alg": "RS256", "kid": "one"})
	body, _ := json.Marshal(claims)
	text := encode(head) + "." + encode(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + encode(signature)
}
