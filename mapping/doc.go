// Package mapping turns rows of a spreadsheet into payloads of the service, by the rules of a mapping file. It does no
// input and output: the same file, row and lookups always give the same bytes.
//
// For the programmer: Parse checks a file as far as that is possible without the data and gives a Mapping. Bind finds its
// columns in the header of a source and gives a Mapper, for one goroutine. Key says which record a row belongs to, or why
// the mapping leaves it out; Map makes the record of its row or rows, or says every reason why there is none. Constants,
// patterns, columns and expressions are worked out once, so that a row costs little more than reading its cells.
//
// The rooms below it are the kinds of things that a row is made of: table (cells and rows), date, value (numbers, classes, yes and no),
// lookup, expr and reason; rule, what a mapping file says, and file, which reads it. This package runs what rule holds: bind.go finds the
// columns, mapper.go maps rows, selftest.go and explain.go are made on top of that. Above it, infer proposes a mapping for a new file, and
// edit changes one by choice. It imports no room above it, and nothing of the importer.
//
// What follows is the reference of mapping files, for whoever writes one.
//
// # A mapping file
//
// docketsync init FILE writes the first draft of one, with comments that say why.
//
//	operation: update_trademark
//	key: Our Ref
//	dates: [DD/MM/YYYY]
//	lookups:
//	  trademark_ids: lookups/trademark_ids.csv
//	  registries:    lookups/registries.csv
//	fields:
//	  id:                 {column: Our Ref, lookup: trademark_ids}
//	  registry_id:        {column: Office, lookup: registries}
//	  mark_text:          Mark
//	  application_number: App No
//	  application_date:   Filing Date
//	  status:             {column: Status, values: {R: Registered, P: Pending}, default: Unknown}
//	  do_not_create_file: {value: true}
//
// It is YAML: a key, a colon, a value, and deeper things indented by two spaces. Texts with a colon, a #, or braces in them
// go into 'single quotes'. Every mistake is reported at once with its line, the place, and a suggestion.
//
// At the top of the file:
//
//	extends     a base mapping, for several firms whose exports differ little (below)
//	operation   what the rows become, such as create_case or update_trademark (docketsync init --help lists all)
//	key         what tells one record from all others (below)
//	rows        which rows are taken, and how rows make records (below)
//	dates       how dates are written (below); pivot, zone and dates_turned belong to it
//	numbers     how the numbers of components are written: "1.234,56" (below)
//	blanks      texts that mean an empty cell: [n/a, "-"]
//	empty       what an empty optional field becomes: omit unless said otherwise (below)
//	booleans    words for yes and no beside the usual ones: {yes: [vigente], no: [baja]}
//	lookups     tables that turn names into GUIDs (below)
//	fields      where each field of the operation comes from (below)
//	order       in which order records are sent: {by: expiry_date, nearest: first} (below)
//	checks      what the checks before sending do (below)
//	tests       rows and what must become of them (below)
//	scope       the name under which the ledger remembers the records, the operation unless said otherwise; two mappings
//	            of one operation whose keys may be equal need different scopes
//
// # A base mapping
//
// extends: ../../_base/marks.yaml names a mapping, from the folder of this file, that holds where this file says nothing:
//
//	extends: ../../_base/marks.yaml
//	dates: [MM/DD/YYYY]
//	fields:
//	  status: {column: Estado, values: {A: Registered}}
//	  notes:
//
// A key at the top takes the place of the base's as a whole, key and order as well. Of fields, lookups, checks, rows and booleans each entry does, as a
// whole; one with nothing behind its colon takes the base's away. Mistakes are shown in the file that they stand in. Files of lookups start from the folder of
// this file, whichever of the two names them. A base cannot extend another file. When either file changes the mapping has
// changed: plans that were approved before are not carried out.
//
// # Columns
//
// A column is named as the header has it; capitals, the accents of Latin and Greek letters, blanks and punctuation do not
// count. Where several columns have one name, "Name#1" is the first and "Name#2" the second. "@C" is the column with the letter C, for columns without
// a name; in rejects.xlsx, the one that has it in the export. In a file without a header row the columns are called A, B, C.
//
// # Fields
//
// The short form is a column's name. The long form says where the value comes from, by one of
//
//	column: Mark                            a column
//	columns: [Notes, Remarks]               several, joined with a blank, or with join: "; " (empty ones are left out)
//	value: true                             the same for every row; value: null sends null
//	expr: 'upper(row["Mark"])'              an expression (below)
//
// and then, in this order, what happens to it:
//
//	blanks: ["0000000"]                     these texts mean an empty cell
//	values: {Open: yes, Closed: no, "-": }  what the words of the column become; nothing behind the colon is an empty cell
//	unknown: keep                           a word that values, yes or no does not know: reject (the usual), keep it as it is,
//	                                        default (the usual where there is a default), or empty; without these lists
//	                                        what cannot be read is rejected
//	default: Unknown                        the value of an empty cell
//	empty: null                             what an empty value becomes (below)
//	lookup: registries                      the name becomes the GUID beside it in the lookup
//	required: true                          an empty value rejects the record
//	max: 100                                the most characters; longer texts are rejected, or cut with truncate: true
//	pattern: '\d{4}-\d+'                    a regular expression for the whole text, of at most 2,500 steps with its repeats written out
//	trim: false                             keeps white space around the text, which is dropped otherwise
//	number_format: ignore                   takes the digits of a number cell alone (below)
//	rounded: keep                           takes values that look like numbers a spreadsheet has rounded (below)
//	split: ";"                              a list: what stands between its parts in one cell
//
// The field's type decides how a cell is read:
//
// A GUID has 36 characters; braces, "urn:uuid:" and 32 digits without hyphens are understood, anything else is rejected, and so is that of zeros alone. A
// list of GUIDs (tags, other_supervisors) takes each of its columns, or each part of a cell with split, as one.
//
// Text is passed on as it is: leading zeros, long numbers and trailing zeros stay. A date cell of a workbook is rejected
// where text is wanted, because spreadsheets make dates of references such as 3-4; with date_as: DD/MM/YYYY it is written
// so. A cell of a workbook with an error (#N/A) is rejected wherever it is used; in a text file, what such a cell is saved as is damaged
// text (text_damaged, see Checks).
//
// A workbook may store 42 and show TM-0042, by the number format "TM-"0000. Texts, keys and lookups take what the sheet shows, numbers
// and dates the number; filters see the number. What cannot be told exactly, such as $1,234.50 or 1 234,50 $, is
// rejected where text is wanted. number_format: ignore takes the digits alone, in a field or the key.
//
// Spreadsheets keep 15 digits of a number, and write a long one into a text file as 7.9E+07, which is then all there is of it. Such
// a text, and a number cell of 16 digits or more, is rejected where things are found by it: in the key, in the numbers of cases,
// applications, registrations and files, in what a lookup is asked for, and in components that are text. rounded: keep takes
// it, in the field or in key: {column: Ref, rounded: keep}, for the rare firm whose references have that form; 1E5 is none. So for 03-Apr, Apr-24 and 2024-04-03 00:00:00, the dates that they make of 3-4.
// A column of 3.0031 that also has 3.003 was numbers in a spreadsheet once, where 3.0030 has no zero at its end; one of a text file
// in which all numbers of more than 15 digits have zeros behind these has probably lost other digits there, and one in which all end
// in .0 was whole numbers. One of .xlsx or .xls that shows 1.00 beside 1.01 and 1.10 is read as 1, 1.01 and 1.10. No cell tells, so the job
// stops before anything is sent where such a column is read in those places without rounded: keep, the last one in components apart.
//
// Yes or no takes true, yes, y, 1, x, on and ✓; false, no, n, 0 and off; and the words of Spanish, French, German,
// Italian and Portuguese. Others are listed with yes: [Live] and no: [Dead, Lapsed], or translated with values.
//
// A number (of a folder's file) is passed on digit by digit: 00123, 1E5, 1,234 and TM-7/2024 are rejected. See Numbers.
//
// A list of entries (good_and_services, files) and components have forms of their own (below).
//
// # Empty values
//
// A cell is empty when there is nothing or only white space in it, or one of the blanks. A required field rejects the
// record then; file_client_id and the id of an entry become null; every other field is left out. empty: says otherwise, for
// one field or at the top of the file for all optional ones:
//
//	omit     the field is left out
//	null     it is sent as null
//	keep     the empty text (or list) is sent as it is
//	reject   the record is rejected
//
// # Dates
//
// dates: lists how dates are written: DD/MM/YYYY, D.M.YY, MMM D, YYYY, D de MMMM de YYYY, YYYY-MM-DD hh:mm. D and M are days
// and months, MMM a month's name, short or in full, in English, Spanish, French, German, Italian or Portuguese; hh, mm and ss the
// time; a stands for am or pm, Z for a zone, ddd for a weekday, which has to be that of the day. Other words go into quotes if they could be mistaken.
// Without dates: only YYYY-MM-DD and times such as 2024-03-01T10:00:00Z are read. Date cells of a workbook need no pattern.
//
// A date that two of the patterns read as different days is rejected, never guessed: with DD/MM/YYYY and MM/DD/YYYY both
// declared, 03/04/2024 is. Years of two digits need pivot: 50, which makes 49 2049 and 50 1950.
//
// A date without a time is that day, whatever the zone and whatever its distance from UTC (2024-03-01+02:00); a time of exactly
// 00:00 is taken as none. A time with a zone is converted to UTC; one without needs zone: Europe/Madrid. The day never moves:
// where it is another one in UTC, as of 2024-03-01T00:30:00+02:00, the time is left out and a note says so. dates, pivot and
// zone can also be said for one field.
//
// dates: proven has every column prove how it is written. All rows are read once before any is mapped. 25/12/2024 proves that
// the day comes first in every date of the column with a slash; a column of nothing but dates like 03/04/2024 proves nothing,
// and one with 25/12/2024 and 12/25/2024 contradicts itself: the job stops then, before anything is sent, and names the rows. A
// column may be written in several ways, 2024-03-01 and 01/03/2024, each of which has to be clear. Rows that the mapping leaves
// out, or that have no key, prove nothing. Several files of one job prove together. Years of two digits may also stand in front,
// so that 25/12/24 proves less than 25/12/2024; their pivot is stated as always. Dates that are no date at all are rejected row
// by row. A file of few rows proves little, the rejects of a run among them: dates: with the patterns is the surer way. In tests:
// a test's own rows are the whole column.
//
// Patterns that are declared can be wrong: in a file that has the month first, DD/MM/YYYY rejects 08/24/2017 and reads 03/04/2017 as another day.
// So the job stops before anything is sent, too, where the dates of a field can be read only with day and month exchanged in more than one case
// for every twenty that can be read only as declared, and others can be read both ways. dates_turned: accept imports what can be read.
// So for dates that an expression reads with date(). Numbers stop it in the same way: where 12,50 occurs, "1,234.56" would read 1.234 as one and a
// bit; numbers_turned: accept of the field imports what can be read.
//
// A workbook in which a spreadsheet program took the day for the month where it could, and left the other dates as text, is known
// by its columns: the date cells are of days up to 12 and the texts have a number over 12. One in twenty may be otherwise, and there
// have to be enough, some five date cells, that chance does not explain it. If the mapping reads dates from such a column, by a field of
// that type, date_as or date(), the job stops before anything is sent, however its dates are declared. Where the date cells are right, dates_turned: accept says so, for one field or for all.
//
// # Numbers
//
// Number cells of a workbook have one meaning. In texts 1.234 may be one thousand or one and a bit, so numbers: says how they
// are written, by the example of 1234.56 with the signs that the file has:
//
//	numbers: "1.234,56"     1.234 is 1234, 0,5 is 0.5
//	numbers: "1,234.56"     1.234 is 1.234, 1,234 is 1234
//	numbers: "1 234,56"     also with "1'234.56"; "1234,56" for no thousands separator
//
// Thousands may have separators or not, but all of them and in threes: 1.23,4 is rejected. Every digit goes out as it is written, 1.50
// stays 1.50. At the top of the file it is said for all components of type number and integer, in a field for that field: also
// for the number of a folder's file and a registration number that is sent as an integer, which are taken as they are
// otherwise. Without it, an amount that could be read in two ways is rejected.
//
// # Lookups
//
//	lookups:
//	  registries: lookups/registries.csv                        a CSV file or workbook beside the mapping
//	  clients:    {file: clients.xlsx, sheet: Agents, name: Company, id: GUID}
//	  languages:  {inline: {English: 6f0c2d7e-…, Spanish: 90f7a1c2-…}}
//	  case_ids:   {ledger: create_case}                         ids that earlier runs were given, by the key of their records
//	  companies:  {service: companies}                          a list of the service, if it has one: as the configuration
//	                                                            describes it under service.lists
//
// A lookup file has a column of names and one of GUIDs; they are found by the headers "name" and "id" unless name: and id: say
// which. A name is found as it is written, else with capitals, the accents of Latin and Greek letters and the number of blanks
// not counting, and check lists the names found so in both spellings; a name spelled like several is rejected. The marks of
// other scripts count: バ is not ハ, Й is not И. Punctuation counts, and nothing is found by likeness: the reject says what is near,
// for the first 1,000 names that are not found. A line without an id is a name that nobody has filled in yet: what uses it is
// rejected, constants and defaults too, and told which line it is, also where the line of a like name has an id. A file that has
// several sheets of these columns while sheet: names none is refused. A name that a list of the service has with several ids is
// rejected with all of them. Such a list is fetched for every run and plan (or as seldom as its max_age says); check uses what was fetched last
// and says when that was. Classes are also found by their number: "009" is "Class 9".
//
// # Keys
//
//	key: Our Ref                                 a column
//	key: [Client No, Matter No]                  several, joined with |
//	key: {columns: [Client, Matter], join: "-"}
//	key: {expr: 'before(row["Reference"], "/")'}
//
// The key is how the ledger knows a record again, so it must not change between exports. A row without a key is rejected.
//
// # Rows
//
//	rows:
//	  skip: 'row["Status"] == "Dead"'     leaves rows out; a list of expressions leaves out what any of them is true for
//	  only: 'row["Country"] == "ES"'      takes only these
//	  group: true                         all rows of one key make one record
//	  fill: true                          a cell left blank in one row of a record is taken from its other rows
//	  fill_filters: true                  skip and only see the filled cells, too: the one that stands in the row above, of the same record;
//	                                      where it makes a difference and neither true nor false is said, the record is rejected
//	  max_per_record: 50000               the most rows of one key, 20000 unless said otherwise; if there are more, all are
//	                                      rejected, as the key is probably the wrong column
//
// Reports count the rows left out by the expression that did it. A name in front of it is easier to read there:
//
//	rows:
//	  skip:
//	    dead marks:    'row["Status"] == "Dead"'        "12 filtered: dead marks"
//	    before 2008:   'date(row["Closed"]) < "2008"'
//
// A blank cell is neither before nor after anything, so that open matters stay here. Without date(), texts are compared letter by letter: a row
// is rejected where that is not the order of its dates or numbers, as of 17/03/2015 and 2008, or 9 and 10. So in all expressions.
//
// Folders, and marks with one row for each class, are grouped without being told. What belongs to the record itself, such as
// a folder's name and client, must be the same in all its rows; rows that disagree are one reject that lists them.
//
// # Order
//
// Records are sent in the order of the source. A migration that may be cut off at any moment sends what is due soonest first:
//
//	order: {by: expiry_date, nearest: first}
//	order: {by: {column: Next Deadline}}                                         a column that is in no payload
//	order: {by: {expr: 'row["Status"] == "Lapsed" ? "" : row["Expiry"]'}}        an expression; here, lapsed marks go last
//
// by is a date field of the payload, or a column or an expression whose dates are read like those of a field, with dates:, pivot: and
// blanks: of its own where they differ; a date that cannot be read rejects the record. Calendar days count, whatever the time of day.
// The earliest day goes first: what is overdue comes before what is due, the longest overdue before all, since its grace period ends first.
// Records without a date go last, records of one day in the order of the source. Of a record with several rows the nearest date
// of a column or an expression counts. Wherever such a run is cut off, no record that was not sent is due before one that was, but for those in
// flight at that moment, and those that the report names as held, failed or in doubt.
//
// # Folders and their files
//
// Each row is a file; the key tells which folder it belongs to. A row whose file columns are all empty adds none.
//
//	operation: create_folder
//	key: Folder
//	fields:
//	  name:      Folder
//	  client_id: {column: Client, lookup: clients}
//	  files:
//	    item: {name: Matter, number: Matter No, user_id: {column: Lawyer, lookup: users}}
//
// # Goods and services
//
// One cell that holds all, "9: software; hardware; 35: advertising". A semicolon within the goods is no harm, as an entry
// begins where a class stands; a class that is written in another way ("; 35 - advertising") rejects the record. entries: and class: name other separators:
//
//	good_and_services:
//	  split: {column: Classes, entries: ";", class: ":"}
//	  item:  {search_class_id: {lookup: classes}, language_id: {value: English, lookup: languages}}
//
// Column pairs, counted by # (Class 1 and Goods 1, or 1st Class and so on, or columns that all have one name). Numbers may be left out, but
// a class without its goods column stops the job:
//
//	good_and_services:
//	  pairs: {class: "Class #", text: "Goods #"}
//	  item:  {search_class_id: {lookup: classes}, language_id: {value: English, lookup: languages}}
//
// A column for each class, marked where the class applies, whose number stands in its name:
//
//	good_and_services:
//	  flags: "Class#"
//	  item:  {search_class_id: {lookup: classes}, language_id: {value: English, lookup: languages}, text: {value: all goods of the class}}
//
// Or one row for each class, when none of these is said:
//
//	good_and_services:
//	  item:  {search_class_id: {column: Class, lookup: classes}, language_id: {value: English, lookup: languages}, text: Goods}
//
// In the first three, search_class_id and text take the entry's class and text by themselves; {part: class} and {part: text} name
// them in other places, and class and text do in expressions. An entry's id is null unless it is mapped, which creates the entry.
// An entry that stands there twice is sent once. Goods of a column of their own that begin with a class and a colon are those of a whole mark, and reject the record.
//
// # Components
//
//	components:
//	  lookup: components                             the names of components and their ids
//	  items:
//	    Court:             Court Name                the value is text
//	    Hearing:           {column: Hearing, type: date}
//	    Opposing counsel:  {column: Counsel, lookup: companies}
//
// A component with a lookup is bound to an entity and sends its id (entity_id); so does one with type: entity, whose cell
// is the GUID. Others send a value, always as text: type is text, date, integer, number, boolean or json. An empty component is left
// out. A component may also be written by its id, which needs no lookup. components: [] sends none: an update of a case
// replaces all of it.
//
// # Expressions
//
// For what the rest cannot say. row["Name"] is the text of a column (a date cell is "2024-03-01"), today the day of the
// run. Texts stand in "double quotes". There are == != < > and, or, not, in, contains, startsWith, endsWith, matches (a regular
// expression in quotes), + (which joins texts), ?: (condition ? then : else), ?? and numbers with int(row["N"]). An expression is checked
// when the mapping loads, and cannot run on: there are no loops but all, any, none, one, filter, map, count and find over a list, with #
// for the element.
//
//	join(list, "; ")  split(text, ";")  trim(t)  squeeze(t)  upper(t)  lower(t)  fold(t)  replace(t, old, new)
//	before(t, "/")  after(t, "/")  between(t, "(", ")")  left(t, 3)  right(t, 3)  padLeft(t, 6, "0")  digits(t)  letters(t)
//	coalesce(a, b, …)                        the first that is not empty
//	date(t, "DD/MM/YYYY", …)                 a date of a text: "2024-03-01"; empty stays empty; date(row["Filed"]) goes by dates:
//	format(d, "D MMMM YYYY")  year(d)  month(d)  day(d)  addDays(d, 30)  addMonths(d, 6)  addYears(d, 10)  daysBetween(a, b)
//	classes(t)                               the class numbers in a text, as a list; 1 to 3 is 1, 2 and 3; 3 classes, 9 (3 items), NCL 12 are refused
//	fullName("Doe, Jane")  surname(t)  givenNames(t)  initials(t)    "Acme, Inc." and names of several commas are refused
//	lookup("registries", t)  known("registries", t)
//	len  int  string  abs  min  max  first  last  uniq  sort  reverse  indexOf  lastIndexOf  hasPrefix  hasSuffix  trimPrefix  trimSuffix
//
// In a field or the key, < <= > and >= reject the record where one side is empty, as ?: would take the part behind the colon: ask for it first,
// 'row["Closed"] == "" or date(row["Closed"]) > today ? "yes" : "no"'.
//
// A pattern with a year of two digits, date(t, "D/M/YY"), needs pivot: at the top of the file. squeeze makes one blank of several; fold drops capitals and accents as lookups do, to compare; join leaves out empty parts; padLeft leaves an empty text empty. The result goes
// on through the field's other steps, so that {expr: …, lookup: registries} works.
//
// # Checks
//
// Before a record is sent its sense is checked. Each check is error (the record is rejected), warn (it goes out, with a
// note) or off: checks: {nice_class: off}, or checks: warn for all.
//
//	error   filing_after_registration, expiry_before_registration, expiry_before_filing, filing_in_future,
//	        registration_in_future, status_date_in_future, date_far_off, date_partial, nice_class, text_damaged,
//	        file_number_repeated
//	warn    publication_before_filing, registered_without_number, registered_without_date
//
// The days from which programs count, and which they write for a missing date (30/12/1899, 31/12/1899, 01/01/1900, 01/01/1904, 01/01/1970), are
// far off (date_far_off), too. Of a date that a sheet shows without its day or its year (date_partial), a spreadsheet has added what was not typed:
// the first day to Mar-24, the current year to 5-Nov.
//
// A status says that a mark is registered in English, Spanish, French, German, Italian or Portuguese. Among classes, those of
// the old schedule of the United States (A, B, 46 to 52, 100 to 107, 200, and all that are written as US) are told apart.
//
// Text is damaged (text_damaged) that shows that something was lost before the file was written: the character U+FFFD, "Ã©" for é, an
// invisible control character for a quotation mark, the error of a spreadsheet (#N/A, #REF!, Err:502), or ##### from a column that was too narrow. So is
// what stands for a value and is none: NULL, \N, (null), NaN, undefined and [object Object] alone, a formula, '00123, and &uuml; for ü; and a key or a reference with
// a character that nobody sees (U+200E, a soft hyphen).
//
// Other checks compare the records of all rows and files of a job with each other; a reason names all that are concerned.
//
//	twin_key                        two keys differ only in case, accents, spaces, punctuation, leading zeros or look-alike letters: TM-007
//	                                and tm 7; error for what is created, where it also looks at the keys that earlier runs
//	                                created, and warn for updates
//	number_repeated                 two cases have one number; error for create_case, warn for update_case
//	id_repeated                     error: two records update one case or trademark
//	application_number_repeated     warn: two trademarks of one registry have one application number,
//	registration_number_repeated    warn: or one registration number
//	file_number_in_two_folders      warn: two folders of one client have a file of one number
//	file_created                    error: a new folder has a file that was created in another one before, which no longer has it
//
// A check of your own is a condition under which a row is wrong, with a name that says so:
//
//	checks:
//	  closed before opened: 'date(row["Closed"]) < date(row["Opened"])'
//	  no agent yet:         {expr: 'row["Status"] == "Live" and row["Agent"] == ""', level: warn}
//
// It is an error unless level: says warn or off, and is asked about each row of a record as the row stands. Its code is check, and
// its name is the message. As in filters, < <= > and >= are false where one side is an empty text, so that a blank date is neither
// before nor after another; to ask for one, write row["Closed"] == "". A check that cannot be worked out for a row, as where a date
// is unreadable, rejects the record too, or with warn is a note. date() without a pattern reads a column as the date field does that
// has it, and otherwise by dates: at the top of the file, where proven is not enough.
//
// Numbers are compared as keys are, too; a word without a digit, such as pending, and 0000 are no numbers. Rows that have one key
// and different values are rejected always (duplicate_key).
//
// # Tests
//
// A mapping can carry rows and what must become of them:
//
//	tests:
//	  - name: a registered mark
//	    row: {Our Ref: TM1, Office: EUIPO, Mark: SOL, App No: "00123", Filing Date: 01/03/2024, Status: R}
//	    lookups: {trademark_ids: {TM1: 2b1f6c9e-…}}
//	    payload: {application_number: "00123", application_date: 2024-03-01T00:00:00Z, status: Registered}
//	  - name: an American date
//	    row: {Our Ref: TM1, Filing Date: 12/31/2024}
//	    reasons: [date_impossible]
//
// rows: takes several rows of one record; {date: 2024-03-01}, {number: 12}, {error: "#N/A"} are cells of a workbook. payload names
// only what is of interest. reasons are codes that must be among those of a reject, notes among those of notes; key and skipped: true are understood too.
//
// # Reasons
//
// A reject says every reason, each with a code that stays the same between versions. Notes are doubts that keep nothing from being
// sent. All codes are explained in docketsync help reasons.
package mapping
