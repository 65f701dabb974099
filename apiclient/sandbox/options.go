package sandbox

import (
	"net/http"
	"time"

	"go.uber.org/zap"
)

// Operation is one of the four operations of interface.md part 1, as the request log names it.
type Operation string

// The four operations.
const (
	CreateCase      Operation = "create_case"
	CreateFolder    Operation = "create_folder"
	UpdateCase      Operation = "update_case"
	UpdateTrademark Operation = "update_trademark"
)

// Options say where a sandbox keeps its data, what it knows, whom it lets in and how it behaves. The zero value is a
// sandbox in memory that knows no record, lets in any key and cookie, and never misbehaves.
type Options struct {
	// Data is the path of the SQLite file, which is made when missing; empty means memory.
	Data string
	// Synchronous is SQLite's setting of that name: FULL (default) survives a power cut, NORMAL survives kill -9, OFF
	// survives neither for sure.
	Synchronous string

	// Directory holds the records that the firm has before the first request.
	Directory Directory
	// AnyReference accepts every GUID where a reference to a record of the directory stands, and every trademark id.
	// Case ids must still be known: create case gives them.
	AnyReference bool

	// AnyRecord is AnyReference, and an update of a case that is not known makes it: for payloads of a firm whose records the sandbox
	// never saw.
	AnyRecord bool

	// SubscriptionKey is the only key let in; empty lets any key in, but not a missing one.
	SubscriptionKey string
	// AuthCookie is a cookie value let in besides those the login hands out; empty lets any in, but not a missing one.
	AuthCookie string
	// User is the user (id or user_name) that AuthCookie stands for; empty is the first one of the directory.
	User string
	// CookieHeader is the name of the cookie and of the header that carries it, by default ".Service.AuthCookie".
	CookieHeader string
	// CookieLife ends a cookie of the login that long after it was handed out, and AuthCookie that long after Open; 0 is never.
	CookieLife time.Duration
	// UserMember and PasswordMember are what the login reads, by default user_name and password.
	UserMember, PasswordMember string
	// FolderNeedsCookie makes create folder refuse requests without cookie (interface.md part 5 leaves it open).
	FolderNeedsCookie bool

	Paths    Paths
	Switches Switches
	Answers  Answers
	// BodyLimit is the size of the largest request body in bytes, by default 8 MiB.
	BodyLimit int64
	// TextLimit is the greatest number of characters of texts that have no limit in interface.md; 0 is no limit.
	TextLimit int

	// Faults is how the sandbox misbehaves at first; see SetFaults.
	Faults Faults
	// Now is the clock of the records, the cookies and the rate limit, by default time.Now.
	Now func() time.Time
	// Log gets a line per start and per fault, by default none.
	Log *zap.Logger
}

// Paths are where the operations listen. "{id}" may stand in the paths of the updates for the id of the record.
type Paths struct {
	CreateCase      string // by default /v1/firms/file (interface.md part 4.1)
	CreateFolder    string // by default /v1/firms/folder (interface.md part 4.4)
	UpdateCase      string // not shown in interface.md, by default /v1/firms/file
	UpdateTrademark string // not shown in interface.md, by default /v1/firms/trademark
}

// Form says which of two contradicting statements of interface.md about a member holds.
type Form string

// The forms. The zero value is the field list.
const (
	ByFieldList Form = ""
	BySchema    Form = "schema"
	ByEither    Form = "either"
)

// Variant is one of the two field lists of create case (interface.md part 4.1).
type Variant string

// The variants. The zero value takes a body that satisfies either.
const (
	AnyVariant Variant = ""
	VariantA   Variant = "A"
	VariantB   Variant = "B"
)

// Switches settle the contradictions of interface.md. The zero value follows the field lists.
type Switches struct {
	// Variant is the field list of create case.
	Variant Variant
	// Active of update case: a boolean in the field list, the text "true" or "false" in the schema.
	Active Form
	// RegistrationNumber of update trademark: a string in the field list, an integer in the schema.
	RegistrationNumber Form
	// DoNotCreateFile of update trademark: known to the field list, unknown to the schema.
	DoNotCreateFile Form
	// ComponentID is the member id of a component of update case: unknown to the field list, required (a GUID or null)
	// by the schema.
	ComponentID Form
	// FolderFileNumber of create folder: a JSON number in the field list. No schema is shown; BySchema stands for text.
	FolderFileNumber Form
}

// Body says what an answer carries whose body interface.md does not show.
type Body string

// The bodies.
const (
	BodyRecord Body = "record" // the whole record
	BodyID     Body = "id"     // {"id": …}, for update case with updated_at and updated_by
	BodyEmpty  Body = "empty"  // nothing
	BodyText   Body = "text"   // "OK", for update case
)

// Answers settle what interface.md does not show about answers.
type Answers struct {
	// Folder is the body of create folder's 201, by default BodyRecord.
	Folder Body
	// UpdateCase is the body of update case's 200, by default BodyID.
	UpdateCase Body
	// UnknownTrademark is the status for a trademark nobody knows: 200 (default) with successful false, or an error status.
	UnknownTrademark int
	// InvalidTrademark is the status for invalid data of update trademark: 400 (default), or 200 with successful false.
	InvalidTrademark int
	// SignIn is the status for a missing or wrong key or cookie, by default 401.
	SignIn int
}

func (o Options) withDefaults() Options {
	o.Synchronous = or(o.Synchronous, "FULL")
	o.CookieHeader = or(o.CookieHeader, ".Service.AuthCookie")
	o.UserMember = or(o.UserMember, "user_name")
	o.PasswordMember = or(o.PasswordMember, "password")
	o.Paths.CreateCase = or(o.Paths.CreateCase, "/v1/firms/file")
	o.Paths.CreateFolder = or(o.Paths.CreateFolder, "/v1/firms/folder")
	o.AnyReference = o.AnyReference || o.AnyRecord
	o.Paths.UpdateCase = or(o.Paths.UpdateCase, "/v1/firms/file")
	o.Paths.UpdateTrademark = or(o.Paths.UpdateTrademark, "/v1/firms/trademark")
	o.Answers.Folder = or(o.Answers.Folder, BodyRecord)
	o.Answers.UpdateCase = or(o.Answers.UpdateCase, BodyID)
	o.Answers.UnknownTrademark = or(o.Answers.UnknownTrademark, http.StatusOK)
	o.Answers.InvalidTrademark = or(o.Answers.InvalidTrademark, http.StatusBadRequest)
	o.Answers.SignIn = or(o.Answers.SignIn, http.StatusUnauthorized)
	o.BodyLimit = or(o.BodyLimit, 8<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// or gives the second value where the first is the zero value.
func or[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
