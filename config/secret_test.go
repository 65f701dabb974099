package config_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"docketsync/config"
	"docketsync/config/diagnostic"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.yaml.in/yaml/v4"
)

const plain = "s3cr3t-hunter2"

// holders are the ways in which a value may hold secrets.
func holders() map[string]any {
	secret, dsn := config.NewSecret(plain), config.DSN("postgres://u:"+plain+"@host/db?sslpassword="+plain)
	type private struct {
		s config.Secret
	}
	c := config.Default()
	c.Service.SubscriptionKey, c.Service.AuthCookie, c.Ledger = secret, secret, dsn
	c.Service.SignIn = &config.SignIn{Password: secret}
	c.Jobs = []config.Job{{Source: config.Source{Password: secret}}}
	c.Notify.Ping.URL = secret
	c.Notify.Channels = map[string]config.Channel{"chat": {Slack: secret}, "ops": {Mail: &config.Mail{Password: secret}}}
	return map[string]any{
		"secret": secret, "pointer": &secret, "list": []config.Secret{secret}, "map": map[string]config.Secret{"k": secret},
		"private field": private{secret}, "DSN": dsn, "pointer to DSN": &dsn, "config": c, "pointer to config": &c,
	}
}

func TestSecretsNeverShow(t *testing.T) {
	t.Parallel()
	encodings := map[string]func(any) string{
		"json": func(v any) string { return text(json.Marshal(v)) },
		"yaml": func(v any) string { return text(yaml.Dump(v)) },
		"zap": func(v any) string {
			var b bytes.Buffer
			encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
			log := zap.New(zapcore.NewCore(encoder, zapcore.AddSync(&b), zap.DebugLevel))
			log.Info("m", zap.Any("any", v), zap.Reflect("reflect", v))
			log.Sugar().Infof("%v %+v", v, v)
			log.Info("e", zap.Error(fmt.Errorf("with %v: %w", v, errors.New("x"))))
			return b.String()
		},
		"text": func(v any) string {
			var all string
			if m, ok := v.(encoding.TextMarshaler); ok {
				all += text(m.MarshalText())
			}
			if g, ok := v.(fmt.GoStringer); ok {
				all += g.GoString()
			}
			return all
		},
		"print": func(v any) string { return fmt.Sprint(v) + fmt.Sprintln(v) },
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%c", "%U", "%e", "%20s", "%-5v", "%08x", "%T", "%o"} {
		encodings[verb] = func(v any) string { return fmt.Sprintf(verb, v) }
	}
	hex := fmt.Sprintf("%x", plain)
	for name, holder := range holders() {
		for encoding, encode := range encodings {
			got := encode(holder)
			if strings.Contains(got, plain) || strings.Contains(strings.ToLower(got), hex) {
				t.Errorf("%s as %s shows the secret: %s", name, encoding, got)
			}
		}
	}
}

func text(data []byte, err error) string { return fmt.Sprint(string(data), err) }

func TestSecretSaysThatItIsHidden(t *testing.T) {
	t.Parallel()
	secret, none := config.NewSecret(plain), config.Secret{}
	if got := fmt.Sprintf("%v|%#v|%s", secret, secret, none); got != "[hidden]|[hidden]|" {
		t.Errorf("printed %q", got)
	}
	if secret.Reveal() != plain || none.Reveal() != "" || secret.Empty() || !none.Empty() {
		t.Error("Reveal or Empty is wrong")
	}
}

func TestDSNShowsAllButThePassword(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[config.DSN]string{
		"docketsync.db": "docketsync.db",
		"postgres://u:p@w@h:5432/db?sslmode=disable": "postgres://u:[hidden]@h:5432/db?sslmode=disable",
		"postgres://u@h/db":                          "postgres://u@h/db",
		"postgres://h/db?password=abc&x=1":           "postgres://h/db?password=[hidden]&x=1",
		"postgres://u:p/w@h/db":                      "[hidden]",
	} {
		if got := dsn.String(); got != want {
			t.Errorf("String of %s = %q, want %q", dsn.Reveal(), got, want)
		}
	}
}

// TestSecretsWrittenByMistake loads configurations that hold a secret where none may stand, in every broken way.
func TestSecretsWrittenByMistake(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"inline":                     "service:\n  base_url: sandbox\n  subscription_key: SECRET\n",
		"quoted":                     "service:\n  auth_cookie: 'SECRET' # mine\n",
		"quoted key":                 "service:\n  'auth_cookie' : SECRET\n",
		"in a flow block":            "service: {base_url: sandbox, auth_cookie: SECRET, timeout: 1}\n",
		"in a nested flow block":     "service: {sign_in: {path: /l, user: u, password: SECRET}}\n",
		"on the next line":           "service:\n  subscription_key:\n    SECRET\n",
		"as a block scalar":          "service:\n  subscription_key: |\n\n    first\n    SECRET\n",
		"as a key":                   "service:\n  auth_cookie: {SECRET: x}\n",
		"as a key of a block":        "service:\n  auth_cookie:\n    SECRET: x\n",
		"as a list":                  "service:\n  auth_cookie: [SECRET]\n",
		"as an unknown alias":        "service:\n  auth_cookie: *SECRET\n",
		"as an unclosed quote":       "service:\n  auth_cookie: \"SECRET\n",
		"as an unclosed brace":       "service:\n  auth_cookie: {SECRET\n",
		"behind a forbidden sign":    "service:\n  auth_cookie: %SECRET\n",
		"with a colon":               "service:\n  auth_cookie: a: SECRET\n",
		"as the default":             "service:\n  base_url: https://x.example\n  subscription_key: {env: NO, default: SECRET}\n",
		"as the default of a block":  "service:\n  base_url: https://x.example\n  subscription_key:\n    env: NO\n    default: SECRET\n",
		"as the default list":        "service:\n  subscription_key: {env: NO, default: [SECRET]}\n",
		"in the ledger":              "service: {base_url: sandbox}\nledger: postgres://u:SECRET@host/db\n",
		"in the ledger with a blank": "service: {base_url: sandbox}\nledger: 'postgres://u:SECRET and more@host/db'\nbogus: 1\n",
		"in the ledger and broken":   "service: {base_url: sandbox}\nledger: postgres://u:SECRET@host/db: x\n",
		"in the ledger as default":   "service: {base_url: sandbox}\nledger: {env: NO, default: 'postgres://u:SECRET@host/db'}\n",
		"in a job":                   "service: {base_url: sandbox}\njobs:\n  - {name: a, mapping: m, source: {file: f, password: SECRET}}\n",
		"in a job's block":           "service: {base_url: sandbox}\njobs:\n  - name: a\n    source:\n      password: SECRET\n      file: f\n",
		"twice":                      "service:\n  auth_cookie: SECRET\n  auth_cookie: SECRET\n",
		"in a file that is no UTF-8": "service:\n  auth_cookie: SECRET\xff\n",
		"with a tab":                 "service:\n\tauth_cookie: SECRET\n",
		"from the environment":       "service: {base_url: sandbox}\nledger: {env: DSN}\npace: {concurrency: x}\n",
		"behind an alias":            "x: &x SECRET\nservice:\n  auth_cookie: *x\n",
		"in a merge":                 "x: &x {auth_cookie: SECRET}\nservice:\n  <<: *x\n",
		"in the base URL":            "service: {base_url: 'https://u:SECRET@host'}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(strings.ReplaceAll(text, "SECRET", plain), map[string]string{"DSN": "mysql://u:" + plain + "@h/db"})
			if err == nil {
				t.Fatal("Load took it")
			}
			encoded, jsonErr := json.Marshal(err)
			if jsonErr != nil {
				t.Fatal(jsonErr)
			}
			if shown := err.Error() + string(encoded); strings.Contains(shown, plain) {
				t.Errorf("the error shows the secret:\n%s", shown)
			}
		})
	}
}

// FuzzLoad breaks configurations: every mistake must have a place, and no message may hold a secret.
func FuzzLoad(f *testing.F) {
	f.Add("service: {base_url: sandbox, auth_cookie: SECRET}")
	f.Add("service:\n  sign_in: {path: /l, password: {env: KEY}}\nledger: postgres://u:SECRET@h/db\n")
	f.Add("service:\n  !0000000 {{env: KEY}}")
	f.Add(small + "jobs:\n  - {name: a, source: {file: [x], header: 3}, mapping: m}\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := load(text, map[string]string{"KEY": plain})
		var list diagnostic.Faults
		if err == nil {
			return
		}
		if !errors.As(err, &list) {
			t.Fatalf("error is no fault: %v", err)
		}
		for _, fault := range list {
			if fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
				t.Errorf("fault without a place: %#v", fault)
			}
		}
		if strings.Contains(err.Error(), plain) {
			t.Errorf("the error shows the secret:\n%v", err)
		}
	})
}

// FuzzVeil writes several secrets where none may stand, many of them in one line, and breaks what is around them: no error may show
// any of them, wherever it breaks.
func FuzzVeil(f *testing.F) {
	for _, broken := range [][2]string{{"", ""}, {"}", ""}, {"\n", ""}, {": [", ""}, {"", "x: *y"}, {" \"", "retrys: 1"}, {", bogus: 1", "bogus: {"}, {"\t", "- a"}, {"'", "'"}, {" # ", "pace: {rate: x}"}} {
		f.Add(broken[0], broken[1])
	}
	f.Fuzz(func(t *testing.T, between, behind string) {
		secrets := []string{"first-s3cret", "second-s3cret", "third-s3cret", "fourth-s3cret"}
		for _, layout := range []string{
			"service: {base_url: 'https://x.example', subscription_key: first-s3cret, auth_cookie: second-s3cret~, sign_in: {path: /l, user: u, password: third-s3cret}}\nledger: 'postgres://u:fourth-s3cret@h/d'\n^\n",
			"service: {subscription_key: {env: KEY}, auth_cookie: first-s3cret~, timeout: 1, sign_in: {password: second-s3cret}}\njobs: [{name: a, source: {password: third-s3cret}}, {name: b, source: {password: fourth-s3cret}}]\n^\n",
			"service:\n  auth_cookie: first-s3cret # second-s3cret\n  subscription_key: third-s3cret~\nledger: {env: NO, default: 'postgres://u:fourth-s3cret@h/d?password=first-s3cret'}\n^\n",
			"ledger: 'postgres://h/d?user=x&password=first-s3cret&sslpassword=second-s3cret~'\n^\nremotes: {a: {s3: {access_key: third-s3cret, secret_key: fourth-s3cret}}}\n",
		} {
			_, err := load(strings.Replace(strings.Replace(layout, "~", between, 1), "^", behind, 1), nil)
			for _, secret := range secrets {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%s is shown:\n%v", secret, err)
				}
			}
		}
	})
}

func TestReferencesToSecretsAreShown(t *testing.T) {
	t.Parallel()
	c, err := load("service:\n  base_url: sandbox\n  auth_cookie: {env: NO_SUCH}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Missing(config.OfService)
	if err == nil || !strings.Contains(err.Error(), "auth_cookie: {env: NO_SUCH}") {
		t.Errorf("error does not show the line: %v", err)
	}
}

// TestShortSecretsAreRefused: what stands in too many words cannot be kept out of logs, unless it guards nothing.
func TestShortSecretsAreRefused(t *testing.T) {
	t.Parallel()
	for base, refused := range map[string]bool{"https://service.example": true, "http://127.0.0.1:8080": false, "sandbox": false} {
		_, err := load("service:\n  base_url: "+base+"\n  subscription_key: {env: KEY}\n", map[string]string{"KEY": "ces"})
		if refused != (err != nil && strings.Contains(err.Error(), "shorter than 8 characters")) || err != nil && strings.Contains(err.Error(), "ces ") {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// TestCommentsBehindSecrets: a comment may hold the secret, so no error shows it; but its words are ordinary ones, and an error that
// uses them stays readable.
func TestCommentsBehindSecrets(t *testing.T) {
	t.Parallel()
	const head = "service:\n  base_url: https://service.example\n  subscription_key: {env: KEY}\n  sign_in:\n    path: /v1/login\n    user: x\n"
	env := map[string]string{"KEY": "long enough"}
	for _, password := range []string{
		"    password: hunter2hunter2 # secrets are not allowed in the configuration: write environment variable\n",
		"    password: # secrets are not allowed in the configuration: write environment variable, not hunter2hunter2\n      hunter2hunter2\n",
		"    password: \"hunter2hunter2 # 2\" # secrets are not allowed in the configuration hunter2hunter2\n",
	} {
		_, err := load(head+password, env)
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "secrets are not allowed in the configuration") {
			t.Errorf("%s%v", password, err)
		}
	}
	_, err := load(head+"    password: {env: PASS, file: x} # once it was hunter2\n    bogus: 1\n", env)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	_, err = load(head+"    password: {env: PASS} # once it was hunter2, before the variable was set\n  bogus: 1\n", env)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

// TestSecretOfAFileIsWithoutWhatEditorsAdd reads a file as Notepad saves it.
func TestSecretOfAFileIsWithoutWhatEditorsAdd(t *testing.T) {
	t.Parallel()
	c, err := load(small+"  auth_cookie: {file: notepad.txt}\n", key)
	if err != nil || c.Service.AuthCookie.Reveal() != "file-key" {
		t.Fatalf("%q, %v", c.Service.AuthCookie.Reveal(), err)
	}
}
