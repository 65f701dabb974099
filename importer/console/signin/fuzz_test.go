package signin

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzClaims reads what an identity provider may say of a person. An address counts only where the provider has verified it.
func FuzzClaims(f *testing.F) {
	for _, text := range []string{
		`{"name":"Ada","email":"a@firm.example","email_verified":true,"roles":["viewer","operator"]}`, `{"email":"a@firm.example","email_verified":"false"}`,
		`{"preferred_username":" ","sub":"s","roles":"viewer operator"}`, `{"roles":[1,null,{"a":[]}],"email":7}`, `{"roles":{"operator":true}}`, `{}`, `null`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		claims := map[string]any{}
		if json.Unmarshal([]byte(text), &claims) != nil {
			return
		}
		name := nameOf(claims)
		claimValues(claims, "roles")
		if verified(claims) {
			return
		}
		if values := claimValues(claims, "email"); len(values) > 0 {
			t.Errorf("an address that nobody has verified counts: %v", values)
		}
		said := func(claim string) string {
			text, _ := claims[claim].(string)
			return strings.TrimSpace(text)
		}
		if email := said("email"); email != "" && name == email && said("preferred_username") != email && said("name") != email && said("sub") != email {
			t.Errorf("somebody is called by an address that nobody has verified: %q", name)
		}
	})
}
