package config

import "time"

// Config is the settings of one installation. Load fills it; paths in it are absolute or relative to the working
// directory, no longer to the file.
type Config struct {
	// Service is where payloads go and how the service wants them.
	Service Service `yaml:"service" json:"service"`
	// Retry is when a request is sent again.
	Retry Retry `yaml:"retry" json:"retry"`
	// Pace is how much is sent at a time.
	Pace Pace `yaml:"pace" json:"pace"`
	// Guards are what stops a run before anything is sent; a job may have its own.
	Guards Guards `yaml:"guards" json:"guards"`
	// StopAfter is what stops a run because of what the service answers.
	StopAfter StopAfter `yaml:"stop_after" json:"stop_after"`
	// Ledger is the durable memory: a file (SQLite), or postgres://… for a PostgreSQL database.
	Ledger DSN `yaml:"ledger" json:"ledger"`
	// LedgerServer is how docketsync goes about the server of a ledger that is a PostgreSQL database.
	LedgerServer LedgerServer `yaml:"ledger_server" json:"ledger_server"`
	// Reports is the folder that holds one folder of reports for each run.
	Reports string `yaml:"reports" json:"reports"`
	// CopyReports is the folder of a remote that gets a copy of every run's reports: store:/reports; "" for none.
	CopyReports string `yaml:"copy_reports" json:"copy_reports,omitempty"`
	// Remotes are the places on other machines, by the names that files are addressed with: bank:/out/matters.csv.
	Remotes map[string]Remote `yaml:"remotes" json:"remotes,omitempty"`
	// Retention is how long runs and reports are kept.
	Retention Retention `yaml:"retention" json:"retention"`
	// SecretFiles is how docketsync goes about files that hold secrets.
	SecretFiles SecretFiles `yaml:"secret_files" json:"secret_files"`
	// Log is what is logged to standard error, and how.
	Log Log `yaml:"log" json:"log"`
	// Schedule is how docketsync schedule behaves as a whole.
	Schedule Schedule `yaml:"schedule" json:"schedule"`
	// Notify is who is told how jobs fare.
	Notify Notify `yaml:"notify" json:"notify"`
	// Metrics is how the installation can be watched.
	Metrics Metrics `yaml:"metrics" json:"metrics"`
	// Console is how docketsync console serves its pages.
	Console Console `yaml:"console" json:"console"`
	// Jobs are the imports of the installation, in the order in which they run.
	Jobs []Job `yaml:"jobs" json:"jobs"`
	// Sandbox is what the sandbox holds; unused where base_url names a real service, except by the sandbox command.
	Sandbox Sandbox `yaml:"sandbox" json:"sandbox"`

	place *place
	// liveURL and liveLists are the base URL and the lists of the service that a rehearsal stands in for; see Rehearse.
	liveURL, liveLists string
}

// Service says where the service of interface.md is and settles what that document leaves open.
type Service struct {
	// BaseURL is what the paths are appended to: https://…, http://… for a loopback address, or the word sandbox for
	// the sandbox inside the process.
	BaseURL string `yaml:"base_url" json:"base_url"`
	// Paths are the paths of the four operations.
	Paths Paths `yaml:"paths" json:"paths"`
	// SubscriptionKey is sent with every request as the header subscription-key (interface.md part 5).
	SubscriptionKey Secret `yaml:"subscription_key" json:"subscription_key"`
	// AuthCookie is the user's authentication cookie (interface.md part 5). Not needed where SignIn gives one.
	AuthCookie Secret `yaml:"auth_cookie" json:"auth_cookie"`
	// CookieHeader is the name of the header that carries the cookie, letter by letter.
	CookieHeader string `yaml:"cookie_header" json:"cookie_header"`
	// FolderCookie says whether create folder carries the cookie too, which interface.md part 4.4 does not list.
	FolderCookie bool `yaml:"folder_cookie" json:"folder_cookie"`
	// UserAgent is what requests call themselves; docketsync and its version where it is empty.
	UserAgent string `yaml:"user_agent" json:"user_agent,omitempty"`
	// SignIn says how to get a new cookie when the service no longer takes the one in use; nil when there is no way.
	SignIn *SignIn `yaml:"sign_in" json:"sign_in,omitempty"`
	// CreateCaseVariant is A or B, the two field lists of create case (interface.md part 4.1).
	CreateCaseVariant string `yaml:"create_case_variant" json:"create_case_variant"`
	// Switches settle the contradictions of interface.md; the defaults follow its field lists.
	Switches Switches `yaml:"switches" json:"switches"`
	// NotReadBack are the fields of payloads that the service's answers show otherwise than it stores them.
	NotReadBack []string `yaml:"not_read_back" json:"not_read_back,omitempty"`
	// Timeout is the longest that one request may take, from connecting to the last byte of the answer.
	Timeout time.Duration `yaml:"timeout" json:"timeout"`
	// AnswerLimit is how much of an answer is read, in bytes; the rest is not looked at.
	AnswerLimit Size `yaml:"answer_limit" json:"answer_limit"`
	// CAFile is a PEM file of certificate authorities to trust beside the system's.
	CAFile string `yaml:"ca_file" json:"ca_file,omitempty"`
	// Proxy is none, or environment for the proxy that HTTPS_PROXY and NO_PROXY name; never used for loopback addresses.
	Proxy string `yaml:"proxy" json:"proxy"`
	// Lists are the list operations of the service, if it has any: interface.md shows none.
	Lists Lists `yaml:"lists" json:"lists"`
}

// Paths are the paths of the operations, each beginning with a slash. Those of the updates are empty by default, since
// interface.md does not state them; {id} in them stands for the id of the record.
type Paths struct {
	// CreateCase is the path of create case.
	CreateCase string `yaml:"create_case" json:"create_case"`
	// CreateFolder is the path of create folder.
	CreateFolder string `yaml:"create_folder" json:"create_folder"`
	// UpdateCase is the path of update case.
	UpdateCase string `yaml:"update_case" json:"update_case"`
	// UpdateTrademark is the path of update trademark.
	UpdateTrademark string `yaml:"update_trademark" json:"update_trademark"`
}

// SignIn is one of two ways to a new cookie: a command that prints it, or the service's login operation.
type SignIn struct {
	// Command is a program and its arguments, run in the folder of the configuration; what it prints is the cookie.
	Command []string `yaml:"command" json:"command,omitempty"`
	// Path is the path of the login operation, which takes credentials and answers with the cookie in Set-Cookie.
	Path string `yaml:"path" json:"path,omitempty"`
	// User is the name to sign in with at Path.
	User string `yaml:"user" json:"user,omitempty"`
	// Password belongs to User.
	Password Secret `yaml:"password" json:"password,omitzero"`
	// UserMember is the member of the login's body that holds User.
	UserMember string `yaml:"user_member" json:"user_member,omitempty"`
	// PasswordMember is the member of the login's body that holds Password.
	PasswordMember string `yaml:"password_member" json:"password_member,omitempty"`
}

// Switches settle what interface.md says in two ways.
type Switches struct {
	// Active is boolean or text: how update case sends active (part 4.2).
	Active string `yaml:"active" json:"active"`
	// RegistrationNumber is text or integer: how update trademark sends registration_number (part 4.3).
	RegistrationNumber string `yaml:"registration_number" json:"registration_number"`
	// ComponentID is omit, same (as file_template_component_id) or null: the id of a component, which the schema
	// requires and nothing defines (part 4.2).
	ComponentID string `yaml:"component_id" json:"component_id"`
	// DoNotCreateFile is send or omit: whether update trademark may carry do_not_create_file (part 4.3).
	DoNotCreateFile string `yaml:"do_not_create_file" json:"do_not_create_file"`
	// FolderFileNumber is number or text: how create folder sends the number of a file (part 4.4).
	FolderFileNumber string `yaml:"folder_file_number" json:"folder_file_number"`
	// UpdateAnswer is json or any: what the body of update case's 200 has to be, which part 4.2 does not show.
	UpdateAnswer string `yaml:"update_answer" json:"update_answer"`
}

// Retry says when a request is sent again.
type Retry struct {
	// Creates is never, or always where the firm knows that its service is safe to be sent a create twice.
	Creates string `yaml:"creates" json:"creates"`
	// Refused is for how long a record that the service refused is not sent again as it is; see Again.
	Refused Again `yaml:"refused" json:"refused"`
	// FirstDelay is the wait before the second attempt; it grows from one attempt to the next.
	FirstDelay time.Duration `yaml:"first_delay" json:"first_delay"`
	// MaxDelay is the longest wait between two attempts.
	MaxDelay time.Duration `yaml:"max_delay" json:"max_delay"`
	// Total is how long a record is tried before it fails and is left to the next run.
	Total time.Duration `yaml:"total" json:"total"`
	// RetryAfterCap is the longest wait that the service may ask for with Retry-After.
	RetryAfterCap time.Duration `yaml:"retry_after_cap" json:"retry_after_cap"`
}

// Pace says how much is sent at a time.
type Pace struct {
	// Concurrency is how many requests may be under way at once, and so how many records a crash can leave in doubt.
	Concurrency int `yaml:"concurrency" json:"concurrency"`
	// Rate is the most requests in a second, 0 for no limit.
	Rate float64 `yaml:"rate" json:"rate"`
}

// LedgerServer says how docketsync goes about the server of a PostgreSQL ledger.
type LedgerServer struct {
	// Outage is how long a run waits for a server that is away, with the answers in hand and nothing new begun.
	Outage time.Duration `yaml:"outage" json:"outage"`
	// LaggingStandby is refuse or accept: what to do about a standby that no commit waits for.
	LaggingStandby string `yaml:"lagging_standby" json:"lagging_standby"`
	// CAFile is a PEM file of certificate authorities to trust beside the system's.
	CAFile string `yaml:"ca_file" json:"ca_file,omitempty"`
	// Unverified is refuse or accept: what to do about a server off this machine that need not prove its name.
	Unverified string `yaml:"unverified" json:"unverified"`
}

// Log says what is logged.
type Log struct {
	// Level is debug, info, warn or error.
	Level string `yaml:"level" json:"level"`
	// Format is console or json.
	Format string `yaml:"format" json:"format"`
}

// Sandbox says what the sandbox holds.
type Sandbox struct {
	// Data is the file (SQLite) that the sandbox keeps its records in; empty for memory alone.
	Data string `yaml:"data" json:"data"`
	// Directory is a JSON file with what the interface refers to and does not create: templates, users, companies and
	// the other lists, and the trademarks.
	Directory string `yaml:"directory" json:"directory"`
}

// Job is one import: a source, and the mapping that makes payloads of its rows.
type Job struct {
	// Name is what commands, reports and the ledger call the job.
	Name string `yaml:"name" json:"name"`
	// Source is where the rows come from.
	Source Source `yaml:"source" json:"source"`
	// Mapping is the mapping file.
	Mapping string `yaml:"mapping" json:"mapping"`
	// Guards are the guards of the installation, with what the job says over them.
	Guards Guards `yaml:"guards" json:"guards"`
	// Vanished is list or inactive: what becomes of records that are no longer in the export.
	Vanished string `yaml:"vanished" json:"vanished,omitempty"`
	// When says when docketsync schedule runs the job; nil for a job that only people run.
	When *When `yaml:"when" json:"when,omitempty"`
}

// Source is one file or several of one shape, and what is known about how to read them. What is left out is found out
// by looking at the file.
type Source struct {
	// Files are the files, read in this order. RemotePath tells those on remotes.
	Files Files `yaml:"file" json:"file"`
	// Inbox is the folder that files arrive in, instead of Files.
	Inbox *Inbox `yaml:"inbox" json:"inbox,omitempty"`
	// Format is csv (text with any delimiter), xlsx (also .xlsm), ods or xls where the file's first bytes mislead.
	Format string `yaml:"format" json:"format,omitempty"`
	// Encoding is the character set of a text file: utf-8, windows-1252, shift_jis and the other names of the WHATWG list,
	// or utf-32.
	Encoding string `yaml:"encoding" json:"encoding,omitempty"`
	// Delimiter is the character between two cells of a text file, or one of the words comma, semicolon, tab, pipe, space;
	// spaces for two spaces or more; none for a file of one column.
	Delimiter string `yaml:"delimiter" json:"delimiter,omitempty"`
	// Quote is the character around a cell of a text file, or the word none.
	Quote string `yaml:"quote" json:"quote,omitempty"`
	// Escape is double or backslash: how a quote is written inside a quoted cell.
	Escape string `yaml:"escape" json:"escape,omitempty"`
	// Lenient takes a quote that stands where it should not as an ordinary character instead of refusing the file.
	Lenient bool `yaml:"lenient" json:"lenient,omitempty"`
	// Ragged is reject or keep: what becomes of the rows of a text file that are of another width than the header.
	Ragged string `yaml:"ragged" json:"ragged,omitempty"`
	// Cut is reject or keep: what becomes of the last row of a text file that may be cut off.
	Cut string `yaml:"cut" json:"cut,omitempty"`
	// Covered is reject or keep: what becomes of a cell that merged cells cover and that holds another value than they show.
	Covered string `yaml:"covered" json:"covered,omitempty"`
	// Sheet is the name of a workbook's sheet, its number from 1, or a pattern with * or ? for several of one shape.
	Sheet string `yaml:"sheet" json:"sheet,omitempty"`
	// Merged says what becomes of merged cells: left out, only the top left one has the value; down, right or all repeat it.
	Merged string `yaml:"merged" json:"merged,omitempty"`
	// IgnoreHidden leaves the hidden rows of a workbook out.
	IgnoreHidden bool `yaml:"ignore_hidden" json:"ignore_hidden,omitempty"`
	// Header is the number of the row that holds the column names, as a spreadsheet shows it; 0 to find it.
	Header int `yaml:"header" json:"header,omitempty"`
	// HeaderRows is how many rows the column names take, from Header on; 0 to find it.
	HeaderRows int `yaml:"header_rows" json:"header_rows,omitempty"`
	// NoHeader says that there is no such row; columns then go by their letters.
	NoHeader bool `yaml:"no_header" json:"no_header,omitempty"`
	// FooterRows is how many rows at the end are no data, blank ones not counted.
	FooterRows int `yaml:"footer_rows" json:"footer_rows,omitempty"`
	// Footer is a regular expression; a row whose first cell that is not blank matches it is no data.
	Footer string `yaml:"footer" json:"footer,omitempty"`
	// Password opens an encrypted workbook.
	Password Secret `yaml:"password" json:"password,omitzero"`
}

// Default returns the settings that hold where the file says nothing.
func Default() Config {
	return Config{
		Service: Service{
			Paths:             Paths{CreateCase: "/v1/firms/file", CreateFolder: "/v1/firms/folder"},
			CookieHeader:      ".Service.AuthCookie",
			FolderCookie:      true,
			CreateCaseVariant: "A",
			Switches: Switches{
				Active:             "boolean",
				RegistrationNumber: "text",
				ComponentID:        "omit",
				DoNotCreateFile:    "send",
				FolderFileNumber:   "number",
				UpdateAnswer:       "json",
			},
			Timeout:     30 * time.Second,
			AnswerLimit: 1 << 20,
			Proxy:       "none",
			Lists:       Lists{SettleAfter: 10 * time.Minute},
		},
		Retry: Retry{
			Creates:       "never",
			Refused:       Again(24 * time.Hour),
			FirstDelay:    500 * time.Millisecond,
			MaxDelay:      30 * time.Second,
			Total:         5 * time.Minute,
			RetryAfterCap: 2 * time.Minute,
		},
		Pace:         Pace{Concurrency: 8},
		Guards:       defaultGuards(),
		StopAfter:    defaultStopAfter(),
		Schedule:     Schedule{StopWithin: time.Minute},
		Ledger:       "docketsync.db",
		LedgerServer: LedgerServer{Outage: time.Minute, LaggingStandby: "refuse", Unverified: "refuse"},
		SecretFiles:  SecretFiles{Readable: "refuse"},
		Reports:      "reports",
		Log:          Log{Level: "info", Format: "console"},
		Notify:       defaultNotify(),
		Console:      defaultConsole(),
		Sandbox:      Sandbox{Data: "sandbox.db"},
	}
}
