package reason

// The checks that other packages name.
const (
	NiceClass = "nice_class"
	FarOff    = "date_far_off"
	Partial   = "date_partial" // a date of which the sheet shows only a part
	Damaged   = "text_damaged"
	Twin      = "twin_key"
)

// WrongNames ends the message for every row of another width than its header, and no other message.
const WrongNames = "its cells may stand under the wrong names"

const (
	exportAgain = "Export it again from the system that has the data, or correct the cell."
	goneWrong   = "Correct it in the source, or map another column; digits are never changed."
	setDates    = "It matches {formats}: if the whole column has this format, set it under dates: in the mapping."
	notInLookup = `{"text"} is not in the lookup {'lookup'}`
	repeated    = "Keep the correct one and remove the others, or correct the values."
	disagree    = "the rows of one record disagree on {field}: {values}"
	refusedOn   = "The service refused it on {day}; unchanged, it is not sent again"
	rightRow    = ". Correct the row as the service asks, or send it anyway: " + RunRefused + "."
	wideOrShort = "the row has {cells} and the header {width}, so " + WrongNames
	missingCell = "A delimiter is missing, or the rest of the row is: put the cells under their names, and fill in or clear those that show #N/A. " +
		"If the export leaves out the blank cells at the end of a row, set ragged: keep."
	splitCell = "Put the whole text into this cell, or export the file again with quotes around texts. If the short row is not part of it, set footer to a pattern that its text matches; " +
		"if the export leaves out the blank cells at the end of a row, set ragged: keep."
	lookAtBoth = "Look at both sides and decide whose values stand: {command}"
	mayBe      = "{'key'} may be a new key of {former}, which has the same number or is the same in everything else, and is no longer in this export or has changed there. " +
		"A second record would be created"
	unlike = "only in case, accents, spaces, punctuation, leading zeros or look-alike letters"
)

var (
	before     = sentence{"{second} {is} is before {first} {was}", "Correct the date that is wrong."}
	future     = sentence{"{field} {day} is in the future", "Correct the date; day and month may be swapped."}
	registered = sentence{`the mark has {field} {"value"} and no {missing}`, "Fill it in, or correct the other."}
)

// sentences has the sentence for every code.
var sentences = map[string]sentence{
	Empty:          {"{field} is empty; it is required", "Fill it in, or set default: for the field in the mapping."},
	EmptyColumn:    {"{'column'} is empty; {field} is required", "Fill it in, or set default: for the field in the mapping."},
	EmptyEntries:   {"{field} has no entries", "Fill them in, or set empty: for records without entries."},
	KeyEmpty:       {"the key is empty, so the record cannot be identified", "Enter the reference, or skip the row with rows: {skip: …}."},
	KeyEmptyColumn: {"{'column'} is empty; the key requires it", "Fill it in."},
	CellError:      {"the cell holds the error {error}", "Correct the formula or the value in the spreadsheet."},
	CellErrorDoubt: {"the cell holds {shown}: {doubt}", "Correct the value in the spreadsheet; a date may be written as text."},
	TextInvalid:    {"the cell is not valid UTF-8", "Set the encoding of the file, or save it as UTF-8."},
	TextNUL:        {"the cell contains a NUL character", "Clean the cell, or export the file again."},
	TextLong:       {"the text has {characters} characters, and {field} takes at most {most}", "Shorten it in the source, or set truncate: true in the mapping."},
	Pattern:        {`{"text"} does not match the pattern {pattern}`, "Correct it in the source, or the pattern in the mapping."},
	PatternLong:    {"the text has {characters} characters; a pattern can match at most {most}", "Shorten it in the source."},
	URL:            {`{"text"} is not a web address`, "It must begin with https:// or http://."},
	GUID:           {`{"text"} is not a GUID`, "Give the field a lookup that turns names into GUIDs, or correct the cell."},
	GUIDZero:       {`{"text"} is an all-zero GUID, which identifies nothing`, "Correct the cell. If it stands for an empty cell, list it under blanks: in the mapping."},
	GUIDOfService:  {`the id {"id"} that the service gave for {"key"} is not a GUID`, "Correct the record in the service or map the id another way."},
	JSON:           {`{"text"} is not JSON`, "Correct it in the source."},
	Boolean: {`{"text"} is not mapped to yes or no`,
		"Add it to yes: or no: of the field, or set values: for the field, such as values: {{word}: no}."},

	Number:          {`{"text"} is not a number in plain digits`, goneWrong},
	NumberZeros:     {`{"text"} has leading zeros, which a number cannot keep`, goneWrong},
	NumberWhole:     {`{"text"} is not a whole number`, goneWrong},
	NumberExponent:  {`{"text"} is written with an exponent, so its exact digits are unknown`, "Format the column as text or as a plain number in the spreadsheet and enter the value again."},
	NumberFormat:    {`{"text"} is not a number in the format {format}`, "Correct it in the source, or set the column's format with numbers: in the mapping."},
	NumberUndecided: {`{"text"} has a separator that may stand for thousands or decimals`, `Set the column's number format in the mapping: numbers: "1.234,56" or numbers: "1,234.56".`},
	Rounded: {`{"text"} is a number that a spreadsheet shortened when the export was saved; its other digits are lost`,
		"Export the column as text, or enter the whole number; if the export is right and this is the whole value, set rounded: keep for the field."},
	RoundedCell: {"the cell holds the number {number}, but spreadsheets keep only the first {digits} digits of a number",
		"Export the column as text, or format it as text and enter the value again; if every digit is correct, set rounded: keep for the field."},
	RoundedDate: {`{"text"} is a date that a spreadsheet makes of a reference such as 3-4`,
		"Export the column as text, or enter the reference; if the reference really looks like this, set rounded: keep for the field."},
	Shown: {"the cell holds the number {number}, but its number format {format} shows it differently",
		"Format the column as text and enter the intended value; if only the digits matter, set number_format: ignore for the field."},

	DateImpossible:       {`{"text"} is not a valid date when read as {format}`, "Correct the date in the source."},
	DateImpossibleFits:   {`{"text"} is not a valid date when read as {format}`, setDates},
	DateUnreadable:       {`{"text"} is not a date in the format {format}`, "Correct the date, or add its format to dates: in the mapping."},
	DateUnreadableFits:   {`{"text"} is not a date in the format {format}`, setDates},
	DateUnreadableNumber: {`{"text"} is a number, not a date`, "Give the column a date format in the spreadsheet, or correct the cell."},
	DateUnreadableColumn: {`{"text"} cannot be read until the whole column has proven its date format`, "Set their format under dates: in the mapping."},
	DateUnreadableAlone:  {`{"text"} is not a date, and neither is any other text in its column`, "Correct the date, or set the column's format under dates: in the mapping."},
	DateUnreadableHere:   {`{"text"} is not a valid date in the format YYYY-MM-DD`, "In the mapping itself, write dates as YYYY-MM-DD, such as 2034-03-01, whatever dates: says."},
	DateAmbiguous: {`{"text"} is {day} when read as {format} and {other_day} when read as {other_format}`,
		"Keep only the column's pattern; if both occur, write the month of this date as a word in the source."},
	DateInText: {"the cell holds the date {date} where {type} is expected",
		"If it was typed as something else, such as 3-4, format the column as text and enter it again; if it is a date, set date_as: YYYY-MM-DD."},
	DateInOther: {"the cell holds the date {date} where {type} is expected", "Map another column."},
	ZoneMissing: {`{"text"} has a time of day but no time zone`, "Set the zone in the mapping, such as zone: Europe/Madrid."},
	TimeUnclear: {`{"text"} occurs twice or not at all in the time zone {zone}, because of a clock change`, "Correct the time, or add its UTC offset."},

	ValueUnknown:   {`{"text"} is not a mapped value; the mapped values are {values}`, "Add it with its value to values: of the field."},
	ValueNear:      {`{"text"} is not a mapped value; the mapped values are {values}`, "Did you mean {near}? Otherwise add it to values: of the field."},
	LookupUnknown:  {notInLookup, "Add it to the lookup {'lookup'} with its id."},
	LookupNear:     {notInLookup, "Did you mean {near}? Otherwise add it to the lookup {'lookup'} with its id."},
	LookupList:     {notInLookup, "Add it to the service's list {list}."},
	LookupListNear: {notInLookup, "Did you mean {near}? Otherwise add it to the service's list {list}."},
	LookupLedger:   {notInLookup + ": no earlier run received its id", "Run the job that creates it first, or correct the reference."},
	LookupUnfilled: {`{"text"} has no id yet in the lookup {'lookup'}`, "Fill in its id in {file} (line {line})."},
	LookupAmbiguous: {`{"text"} has {count} ids in the lookup {'lookup'}: {ids}`,
		"Give them different names in the service, or put the right one into a lookup file under a name of its own."},
	LookupAmbiguousUnfilled: {`{"text"} matches {names} in the lookup {'lookup'}, and {"name"} has no id there`, `Fill in the id of {"name"} in the lookup, or delete its line.`},
	LookupAmbiguousName:     {`{"text"} matches {names} in the lookup {'lookup'}, which do not have the same id`, "Write the name in the source exactly as the lookup has it."},
	LookupPending:           {`{"key"} has no usable id: {trouble}`, "Settle it first; then run this again."},
	LookupFailed:            {`the lookup {'lookup'} failed for {"key"}: {error}`, "Run it again once the ledger is reachable."},

	Expression:       {`the expression {"expression"} failed: {error}`, "Correct the cell, or handle it in the expression."},
	ExpressionFilter: {`the filter {"expression"} is not true or false here`, "Use a comparison."},
	ExpressionCheck:  {"the check {'check'} is not true or false here", "Use a comparison."},
	ExpressionNumber: {"the expression returns a number that is not finite or has too many digits", "Handle a divisor of zero in the expression; keep long numbers as text."},
	ExpressionType:   {"the expression returns a {type} where one text is expected", `Use join(list, ", ") to turn a list into text.`},
	Check:            {"{check}", "Correct {columns}, or set level: warn for the check in the mapping if it is correct."},
	CheckRow:         {"{check}", "Correct the row, or set level: warn for the check in the mapping if it is correct."},
	CheckNoted:       {"{check}", "Correct it if it is wrong; it is sent as it is."},
	RowsDisagree:     {disagree, "Correct the rows that are wrong, or give them another key."},
	DisagreeClient:   {disagree, "A folder holds files of one client: correct the client, or put the files into a folder of their own."},
	DisagreeBlank:    {disagree, "Fill in the empty cells, or set rows: {fill: true} in the mapping to take them from the record's other rows."},
	DisagreeFilter: {`{'column'} is blank here and {"text"} in the row above, so that a filter takes one row of the record and leaves out the other`,
		"Fill it in, or set rows: {fill_filters: true} in the mapping if a blank repeats the cell above it, or false if it means nothing."},
	Goods: {`{"text"} does not begin with a class`,
		"Write it as 9{class} software{entries} 35{class} advertising, or set the separators with split: {entries: …, class: …}."},
	GoodsBare: {"{'class'} may be a class without goods or a number in the goods before it", "Write {class}{separator} and its goods, or remove the number."},
	GoodsInside: {"{'class'} within the goods of class {other} looks like the beginning of another class",
		"Put {'separator'} before it, or set what stands there with split: {entries: …}; if it is part of the goods, write it in another way."},
	GoodsOwn: {"the goods begin with a class of their own, {'class'}, but are sent under the class of another cell",
		"Write only the goods of the one class, or take the class and its goods from this cell with split:. {expr: 'row[\"Goods\"]'} for text sends them as they are."},
	GoodsMeasure: {"{'piece'} may be a measure within the goods of class {other} or another class",
		"If it is a class, put a space after {class}{separator}; if it is part of the goods, write it in another way."},

	RowWide:     {wideOrShort, "One of its cells probably contains the delimiter but is not in quotes: put the cells back under their names, with none after the last name."},
	RowWideEnd:  {wideOrShort, "The row has one delimiter too many; remove it."},
	RowShort:    {wideOrShort, missingCell},
	RowShortOne: {wideOrShort, missingCell + " If the row is not a record, set footer to a pattern that its text matches."},
	Split:       {"the next non-blank row has {cells} and the header {width}, so it may be the rest of this cell, which was cut in two by a line break without quotes", splitCell},
	SplitAbove:  {"the last non-blank row above has {cells} and the header {width}, so it may be the beginning of this cell, which was cut in two by a line break without quotes", splitCell},
	CutOff: {"the file may be cut off: it does not end with a line break, {why}",
		"Have the file exported or copied again. If the row is whole, end the file with a line break, or set cut: keep."},
	Total: {"the row looks like a total: it begins with {'text'}",
		"To leave it out, set footer to a pattern that no record matches, such as ^Total:?$, or skip it in the mapping. If it is a record, set totals: keep."},
	TotalRow:  {"the row is the total row of a table in the workbook; it begins with {'text'}", "To leave it out, skip it in the mapping, or take the total row off the table. If it is a record, set totals: keep."},
	TotalLine: {"the row is only a ruled line ({'text'})", "To leave it out, set footer to a pattern such as ^[-=_+ ]+$. If it is a record, set totals: keep."},
	Hidden: {"the row is hidden in the workbook, by a filter or by hand",
		"If hidden rows are records, set hidden: keep in the job's source; if they are not, hidden: skip. Or clear the filter, show the row or delete it in the workbook."},
	Covered: {"the cell holds {'hidden'} beneath the merged cells {cells}, which show {'shown'}",
		"Unmerge the cells in a spreadsheet program and leave the right value in each; or, if what they hold is right, set covered: keep."},
	CoveredBlank: {"the cell is blank and merged with others ({cells}), which show {'shown'}",
		"Set merged: down, right or all in the source to read that value in each of them, or covered: keep if this cell is meant to be blank; or unmerge the cells and fill them."},
	HeaderInside: {"the row looks like another header", "Export each table by itself and give it its own job, or put its columns into the order of the first; " +
		"if the row is not a header, set footer to a pattern that its first cell matches."},
	BelowOther: {"row {row} above it looks like the header of another table, so the cells are probably under the wrong names",
		"Export that table by itself and give it its own job, or put its columns into the order and under the names of the first."},
	TextMixed: {"the text has other elements between its words in the file, so some of it may be missing", "Look at the mark in the file, and correct the cell in rejects.xlsx."},
	Outdated:  {"{column} was corrected from {'old'} to {'new'} by {who} on {day}, but the correction was not applied: {why}", "{way}"},

	"filing_after_registration":  before,
	"expiry_before_registration": before,
	"expiry_before_filing":       before,
	"publication_before_filing":  before,
	"filing_in_future":           future,
	"registration_in_future":     future,
	"status_date_in_future":      future,
	"registered_without_number":  registered,
	"registered_without_date":    registered,
	FarOff:                       {"{field} {day} is too far in the past or future", "Correct the year."},
	FarOffNull: {`{field} {"text"} is what programs write in place of a missing date`,
		`Correct it. If it stands for an empty cell, list it under blanks: in the mapping.`},
	Partial: {"the cell holds the date {day}, but its number format {format} shows only a part of it",
		"Spreadsheets add what was not typed: the first day to Mar-24, the current year to 5-Nov. Check the date, and format the column as a full date."},
	NiceClass:    {`{"class"} is not one of the Nice classes 1 to 45`, "Correct the class."},
	NiceClassOld: {`{"class"} is not one of the Nice classes 1 to 45`, "It is a class of an old national schedule: convert it to Nice classes."},
	Damaged:      {`{"text"} has the character U+FFFD, which programs put where they could not read a character: something was lost before the file was written`, exportAgain},
	DamagedTwice: {`{"text"} shows "Ã©" or "â€™" and the like where an accent, an apostrophe or a letter of another script was meant: it was encoded twice`, exportAgain},
	DamagedC1:    {`{"text"} has an invisible control character where a quotation mark, a dash or a euro sign was meant: it was converted from Windows-1252 as if it were ISO-8859-1`, exportAgain},
	DamagedLost: {`{"text"} has a question mark in place of a letter, as programs write for letters that are not in the encoding of the file`,
		"Export it again as UTF-8 (in a spreadsheet program: CSV UTF-8), or correct the cell."},
	DamagedError: {`{"text"} contains a spreadsheet error instead of a value`,
		"Correct the formula and export the file again, or correct the cell. If the error stands for an empty cell, list it under blanks: in the mapping."},
	DamagedNarrow: {`{"text"} is what a spreadsheet program saves in place of a value when its column is too narrow`,
		"Widen the column in the spreadsheet program and export the file again, or correct the cell."},
	DamagedMissing: {`{"text"} is what programs write in place of a value that is not there`, "Correct the cell. If it stands for an empty cell, list it under blanks: in the mapping."},
	DamagedTyped:   {`{"text"} is what was typed into a spreadsheet, as a formula or after an apostrophe, not the value that it shows`, "Export the values of the cells, or correct the cell."},
	DamagedHTML:    {`{"text"} contains the HTML code {'entity'} instead of the character`, exportAgain},
	DamagedInvisible: {`{"text"} has the invisible character {character} where "…" stands: it looks like another reference, and no search finds it`,
		"Type it again in the source, without the character."},
	"file_number_repeated": {`the file of row {row} also has the number {"number"}`, "Correct one of the numbers, or remove the row if it is there twice."},

	Twin:                           {"{count} records have keys that differ " + unlike + "{(value)}: {records}", repeated},
	TwinSent:                       {"{count} records have keys that differ " + unlike + "{(value)}: {records}", "If it is the same record, use the key it was sent with, or remove the row."},
	TwinForgot:                     {"{'key'} differs " + unlike + " from the key of a record that was deleted with 'docketsync forget'", "If it is that record, remove the row at its source: nothing of it may be sent again."},
	NumberTwice:                    {"{count} records have one number{(value)}: {records}", repeated},
	IDTwice:                        {"{count} records have one id, so that the update sent last would win{(value)}: {records}", repeated},
	"application_number_repeated":  {"{count} records have one application number at one registry{(value)}: {records}", repeated},
	"registration_number_repeated": {"{count} records have one registration number at one registry{(value)}: {records}", repeated},
	"file_number_in_two_folders":   {"{count} records have one client and a file of one number{(value)}: {records}", repeated},

	FileCreated: {"{count} folders have one client and a file of one number{(value)}, and the one that was created with it no longer has it: {records}",
		"If the file was moved, move it in the service and remove its row here."},
	Crowded: {"more than {most} rows have the key {'key'}",
		"The key is probably the wrong column: choose one that is unique to each record. If a record may have this many rows, set rows: {max_per_record: …} in the mapping."},
	Duplicate: {"several rows have the same key and different values: {'key'} in {places}", "Keep the correct row and remove the others, or correct the key."},
	OverFiles: {"the rows of {key} are in files with different columns: {files}", "Put all rows of a record in one file."},
	Renamed:   {mayBe, "It is not created until you decide: docketsync renamed {$key} same, if it is the same record; docketsync renamed {$key} new, if it is a different one."},
	RenamedOneOf: {mayBe,
		"It is not created until you decide: docketsync renamed --former OLD {$key} same, if it is the record that had the key OLD; docketsync renamed {$key} new, if it is a different one."},
	KeyMoved: {"the row has the key {'key'}, which belonged to another row; its cell under docketsync: record says that it was rejected as {'was'}",
		"If one column was sorted without the others, undo that; otherwise correct the key, or clear that cell if the key is right."},
	DigitsLost: {"the cell held {'before'} when its row was rejected; a spreadsheet turned it into a number",
		"Format the cell as text and write the value again; or, if the number is right, clear the cell under docketsync: record."},
	ReadsOther: {`the cell held the {kind} {'before'} when its row was rejected; the text {"now"} that it holds now is read as {reads}`,
		"Save rejects.xlsx as a workbook, not as CSV, or write the value in the form that the mapping reads; or, if the new value is right, clear the cell under docketsync: record."},
	ReadsTurned: {`the cell held the text {"before"} when its row was rejected; a spreadsheet turned it into the date {now}, another day than the mapping reads in the text`,
		"Format the cell as text and write the date again; or, if the new date is right, clear the cell under docketsync: record."},
	SentSince: {"{'key'} was sent on {day}, after this row was rejected, so that the row may be out of date",
		"Leave the row out; or, if its values are right, clear its cells under docketsync: reasons, row, cells and record to send it."},
	RowsMissing: {"only {arrived} of the {count} rows that were rejected together are here; if {'key'} is created without the others, it cannot be completed later",
		"Put the other rows in as they are, including those with nothing wrong in them; or, to create it without them, clear the cells under docketsync: record."},
	OtherInDoubt: {"{'key'} is the record that was sent under the key {'other'} on {day}, and it is not known whether the service acted on that",
		"Settle it with: docketsync resolve. The next run sends this row."},
	Unsendable: {"{error}", "Check the mapping and the service's switches in the configuration."},
	Refused:    {"{said}", "Correct the row as the service asks and import it again."},
	RefusedID:  {"{said}", "Correct the id in the lookup that gives it, or the row, and import it again."},
	RefusedGone: {"{said}", "It is no longer in the export, so there is no row to correct. Change it in the service by hand, " +
		"then acknowledge it: docketsync rejects {run} KEY --acknowledge."},
	RefusedBefore: {"{said}", refusedOn + " before {next}" + rightRow},
	RefusedEver:   {"{said}", refusedOn + rightRow},
	Forgotten:     {"removed at the firm's request", ""},

	Truncated:   {"the text is cut from {characters} to {kept} characters, as set in the mapping", ""},
	Fraction:    {`the fraction of a second in {"text"} is left out`, ""},
	TimeDropped: {`the time in {"text"} is left out, because in UTC it belongs to another day`, ""},
	Source:      {"{doubt}", ""},
	Repeated:    {"the same entry of goods and services appears twice; it is sent once", ""},

	Overwrites: {"another job has sent other values of it since the last run, which this one overwrites", "Leave the record out of one of the jobs, or correct the export that is older."},
	Vanished:   {"it is no longer in the export, where it last was on {day}, so it is set to inactive", ""},
	ChangedSince: {"{key} was created on {day} and its row has changed since; a create is never sent twice",
		"Let an update job send the change, unless one does already, or change it in the service by hand and acknowledge it."},
	ChangeGone: {"the change of {key} that was acknowledged on {day} is gone from the export, which again has what was created; nothing is sent, as a create is never sent twice",
		"Look at the record in the service; if the change was made there by hand, change it back, and acknowledge it."},
	ChangeUpdates: {"{key} was created on {day} and its row has changed since; another job updates it", ""},
	EntryChanged: {"the text of a goods and services entry has changed, and its id in the service is not known: it was not sent, because it would create a second entry",
		"Change the entry in the service by hand and acknowledge it, or map the entry's id."},
	EntryBack: {"the goods and services entry is in the export again: it was not sent, because it was sent before and would become a second entry if the service still has it",
		"Look at the record in the service; add the entry there by hand if it is missing, and acknowledge it."},
	Differs:      {"{field}: “{sent}” was sent, and the service stored “{stored}”", "Correct it in the service by hand, or correct the source."},
	Stays:        {"{field}: {what}, but an update cannot remove it: it remains in the service", "Remove it there by hand and acknowledge it."},
	ChangedThere: {"{field}: “{sent}” would be sent, and the service has “{stored}”", lookAtBoth},
	ChangedAlike: {"the list shows no difference between what would be sent and what the service has; what it does not show may differ", lookAtBoth},
	Theirs:       {"{what} stays as it is in the service, as {who} decided", ""},

	OrSplit:     {"", `If the cell holds several values, set the separator: split: ";".`},
	OrWarn:      {"", "If it is correct, set checks: {{code}: warn} in the mapping."},
	OrDifferent: {"", "If they are different records, set checks: {{code}: warn} in the mapping."},
	OrAnother:   {"", "If it is another file, set checks: {{code}: warn} in the mapping."},
	OrOther:     {"", "If it is another record, give it a key that differs in more, or set checks: {{code}: warn} in the mapping."},
}
