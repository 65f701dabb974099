package reason

// The codes of reasons and notes. They are stable: reports group by them and tests of mappings name them. The codes of
// checks of single records are the names of the checks, which are in sentences.go alone.
const (
	Empty           = "required_empty"    // nothing there, and the field may not be empty
	KeyEmpty        = "key_empty"         // no key, so the record cannot be identified
	CellError       = "cell_error"        // the cell holds a spreadsheet error such as #N/A
	TextInvalid     = "text_invalid"      // not valid text
	TextLong        = "text_too_long"     // more characters than the field takes
	Pattern         = "pattern_mismatch"  // not in the form that the mapping requires
	URL             = "url_invalid"       // not a web address
	GUID            = "guid_invalid"      // not a GUID
	Number          = "number_invalid"    // not a number in plain digits
	Rounded         = "number_rounded"    // a number that a spreadsheet has shortened
	Shown           = "number_formatted"  // a number that its sheet shows differently, in a way that is not known exactly
	Boolean         = "boolean_unknown"   // not mapped to yes or no
	JSON            = "json_invalid"      // not JSON
	DateUnreadable  = "date_unreadable"   // matches no declared pattern
	DateImpossible  = "date_impossible"   // not a valid date
	DateAmbiguous   = "date_ambiguous"    // two declared patterns give different days
	DateInText      = "date_in_text"      // a date where text is expected: spreadsheets turn 3-4 into a date
	ZoneMissing     = "time_without_zone" // a time of day without a time zone
	TimeUnclear     = "time_unclear"      // a time that occurs twice or not at all in the zone, as when clocks change
	ValueUnknown    = "value_unknown"     // not in the field's values
	LookupUnknown   = "lookup_unknown"    // not in the lookup
	LookupUnfilled  = "lookup_unfilled"   // in the lookup, but nobody has given it an id yet
	LookupAmbiguous = "lookup_ambiguous"  // may be any of several names of the lookup
	LookupPending   = "lookup_pending"    // in the ledger, but its id is not known
	LookupFailed    = "lookup_failed"     // asking the ledger failed
	Expression      = "expression_failed" // an expression that fails for this row
	Check           = "check"             // a check that the firm wrote itself; its name is the message
	RowsDisagree    = "rows_disagree"     // the rows of one record contradict each other
	Goods           = "goods_unreadable"  // a list of classes and goods that cannot be split

	RowWide      = "row_wide"            // more cells than the header
	RowShort     = "row_short"           // fewer cells than the header
	Split        = "cell_split"          // a cell whose text may continue in a short row beside it
	CutOff       = "cut_off"             // the last row of a file that seems to be truncated
	Total        = "row_total"           // a row that looks like a total of the rows above
	Hidden       = "row_hidden"          // a row that the workbook does not show
	Covered      = "covered_value"       // another value beneath merged cells
	HeaderInside = "header_inside"       // a row that looks like another header
	BelowOther   = "below_other_header"  // a row below such a header
	TextMixed    = "text_mixed"          // text between the elements of an XML file
	Outdated     = "correction_outdated" // corrected in the console, but the file has changed since

	Crowded       = "key_crowded"        // more rows with one key than a record may have
	Duplicate     = "duplicate_key"      // rows with the same key and different values
	OverFiles     = "record_over_files"  // a record in several files whose columns differ
	IDTwice       = "id_repeated"        // two records update the same case or mark
	NumberTwice   = "number_repeated"    // two cases have the same number
	FileCreated   = "file_created"       // a file of a new folder was created in another folder before
	Renamed       = "renamed"            // may be a known record under a new key, and waits for a decision
	KeyMoved      = "key_of_another"     // a row of rejects.xlsx with the key of another row
	DigitsLost    = "digits_lost"        // a cell of rejects.xlsx that a spreadsheet has turned into a number
	ReadsOther    = "reads_otherwise"    // a cell of rejects.xlsx that became text, which is read as another value
	SentSince     = "sent_since"         // a row of rejects.xlsx whose record has been sent since
	RowsMissing   = "rows_missing"       // a row of rejects.xlsx without others of its record, which cannot be added later
	OtherInDoubt  = "other_key_in_doubt" // sent under another key, and in doubt there
	Unsendable    = "unsendable"         // cannot be written in the way that the service's switches require
	Refused       = "refused"            // the service refused it
	RefusedBefore = "refused_before"     // the service refused it in an earlier run
	Forgotten     = "forgotten"          // the remains of a record that was forgotten

	Truncated   = "text_truncated"   // note: cut to the maximum length, as set in the mapping
	Fraction    = "fraction_dropped" // note: the service's dates have no fractions of a second
	TimeDropped = "time_dropped"     // note: a time that belongs to another day in UTC
	Source      = "source_doubt"     // note: the source has a doubt about the cell
	Repeated    = "entry_repeated"   // note: a duplicate entry of goods and services

	Overwrites    = "overwrites"            // note: another job has sent other values since
	Vanished      = "vanished"              // note: made inactive because its row is gone
	ChangedSince  = "changed_since_created" // note: the row of a created record has changed, and a create is never sent twice
	ChangeGone    = ChangedSince + "/gone"  // the same for a row that changed back after somebody acknowledged its change
	ChangeUpdates = "change_sent_by_update" // note: the row of a created record has changed, and another job updates it
	EntryChanged  = "entry_text_changed"    // note: an entry without an id would become a second one
	EntryBack     = EntryChanged + "/back"  // the same for an entry that was sent, was gone, and is back
	Differs       = "stored_differently"    // note: the service's answer shows another value than was sent
	Stays         = "stays_in_service"      // note: no longer in the export, but nothing that can be sent removes it
	ChangedThere  = "changed_in_service"    // note on a held update: what would be sent, and what the service has
	Theirs        = "stays_theirs"          // note: left as it is in the service, because a person decided so
)

// The forms of codes that have several sentences.
const (
	EmptyColumn     = Empty + "/column"
	EmptyEntries    = Empty + "/entries"
	KeyEmptyColumn  = KeyEmpty + "/column"
	CellErrorDoubt  = CellError + "/doubt"
	TextNUL         = TextInvalid + "/nul"
	PatternLong     = Pattern + "/long"
	GUIDOfService   = GUID + "/service"
	GUIDZero        = GUID + "/zero"
	NumberZeros     = Number + "/zeros"
	NumberWhole     = Number + "/whole"
	NumberExponent  = Number + "/exponent"
	NumberFormat    = Number + "/format"
	NumberUndecided = Number + "/undecided"
	RoundedCell     = Rounded + "/cell"
	RoundedDate     = Rounded + "/date"

	DateImpossibleFits   = DateImpossible + "/fits"
	DateUnreadableFits   = DateUnreadable + "/fits"
	DateUnreadableNumber = DateUnreadable + "/number"
	DateUnreadableColumn = DateUnreadable + "/column"
	DateUnreadableAlone  = DateUnreadable + "/alone"
	DateUnreadableHere   = DateUnreadable + "/constant"
	DateInOther          = DateInText + "/other"

	ValueNear               = ValueUnknown + "/near"
	LookupNear              = LookupUnknown + "/near"
	LookupList              = LookupUnknown + "/list"
	LookupListNear          = LookupUnknown + "/list_near"
	LookupLedger            = LookupUnknown + "/ledger"
	LookupAmbiguousName     = LookupAmbiguous + "/name"
	LookupAmbiguousUnfilled = LookupAmbiguous + "/unfilled" // one of the names has no id

	ExpressionFilter = Expression + "/filter"
	ExpressionCheck  = Expression + "/check"
	ExpressionNumber = Expression + "/number"
	ExpressionType   = Expression + "/type"
	CheckRow         = Check + "/row"
	CheckNoted       = Check + "/noted"
	DisagreeClient   = RowsDisagree + "/client"
	DisagreeBlank    = RowsDisagree + "/blank"
	DisagreeFilter   = RowsDisagree + "/filter"
	GoodsBare        = Goods + "/bare"
	GoodsInside      = Goods + "/inside"
	GoodsOwn         = Goods + "/own"
	GoodsMeasure     = Goods + "/measure"
	NiceClassOld     = NiceClass + "/old"
	FarOffNull       = FarOff + "/null"
	DamagedTwice     = Damaged + "/twice"
	DamagedC1        = Damaged + "/control"
	DamagedLost      = Damaged + "/lost"
	DamagedError     = Damaged + "/error"
	DamagedNarrow    = Damaged + "/narrow"
	DamagedMissing   = Damaged + "/missing"
	DamagedTyped     = Damaged + "/typed"
	DamagedHTML      = Damaged + "/html"
	DamagedInvisible = Damaged + "/invisible"

	CoveredBlank = Covered + "/blank"
	RowWideEnd   = RowWide + "/end"
	TotalLine    = Total + "/line"
	TotalRow     = Total + "/row"
	RowShortOne  = RowShort + "/one"
	SplitAbove   = Split + "/above"
	TwinSent     = Twin + "/sent"
	TwinForgot   = Twin + "/forgotten"
	RefusedID    = Refused + "/id"
	RefusedGone  = Refused + "/gone"
	RenamedOneOf = Renamed + "/one_of"
	ReadsTurned  = ReadsOther + "/turned"
	RefusedEver  = RefusedBefore + "/for_good"
	ChangedAlike = ChangedThere + "/alike"
)

// Endings for hints that say what else can be done.
const (
	OrSplit     = "+split"     // the cell may hold several values
	OrWarn      = "+warn"      // the check may be wrong
	OrAnother   = "+another"   // it may be another file
	OrDifferent = "+different" // they may be different records
	OrOther     = "+other"     // it may be a different record from the one it resembles
)
