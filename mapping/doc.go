// Package mapping turns rows of a spreadsheet into payloads for the service, following the rules of a mapping file. It
// does no input or output: the same file, row and lookups always give the same bytes.
//
// For programmers: Parse checks a mapping file as far as it can without the data and returns a Mapping. Bind finds the
// columns in the header of a source and returns a Mapper, which is for one goroutine. Key says which record a row
// belongs to, or why the mapping leaves the row out. Map makes a record from its row or rows, or returns every reason
// why it cannot. Constants, patterns, columns and expressions are resolved once, so mapping a row costs little more
// than reading its cells.
//
// The packages below this one hold the parts: table (cells and rows), date, value (numbers, classes, yes and no),
// lookup, expr and reason; rule, which holds what a mapping file says; and file, which reads one. This package carries
// out the rules: bind.go finds the columns, mapper.go maps rows, and selftest.go and explain.go build on that. Above
// it, infer proposes a mapping for a new file, and edit changes a mapping one choice at a time. This package imports
// nothing above it, and nothing of the importer.
//
// The rest of this comment is the reference for people who write mapping files.
//
// # A mapping file
//
// docketsync init FILE writes a first draft, with comments that explain it.
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
// A mapping file is YAML: a key, a colon and a value; nested keys are indented by two spaces. Put text that contains a
// colon, a # or braces in 'single quotes'. All mistakes are reported at once, each with its line, its column and a
// suggestion.
//
// At the top of the file:
//
//	extends     a base mapping, for several firms whose exports are similar (below)
//	operation   what the rows become, such as create_case or update_trademark (docketsync init --help lists all)
//	key         what identifies a record (below)
//	rows        which rows are imported, and how rows form records (below)
//	dates       how dates are written (below); see there for pivot, zone and dates_turned
//	numbers     how numbers in components are written: "1.234,56" (below)
//	blanks      texts that mean an empty cell: [n/a, "-"]
//	empty       what an empty optional field becomes; the default is omit (below)
//	booleans    more words for yes and no, besides the built-in ones: {yes: [vigente], no: [baja]}
//	lookups     tables that turn names into GUIDs (below)
//	fields      where each field of the operation comes from (below)
//	order       the order in which records are sent: {by: expiry_date, nearest: first} (below)
//	checks      how strict the checks before sending are (below)
//	tests       sample rows and the expected results (below)
//	scope       the name under which the ledger remembers the records; the default is the operation. Two mappings of one
//	            operation need different scopes if they can produce the same keys
//
// # A base mapping
//
// extends names a base mapping, by its path from the folder of this file. The base applies wherever this file says
// nothing:
//
//	extends: ../../_base/marks.yaml
//	dates: [MM/DD/YYYY]
//	fields:
//	  status: {column: Estado, values: {A: Registered}}
//	  notes:
//
// A top-level key, including key and order, replaces the base's as a whole. In fields, lookups, checks, rows and
// booleans each entry replaces the base's entry of the same name; an entry with nothing after its colon removes it.
// Mistakes are shown in the file that contains them. Paths of lookup files are relative to the folder of this file,
// whichever of the two files names them. A base cannot extend another file. A change to either file changes the
// mapping: plans that were approved before are not carried out.
//
// # Columns
//
// Name a column as the header does; case, accents on Latin and Greek letters, spaces and punctuation are ignored. If
// several columns have the same name, "Name#1" is the first and "Name#2" the second. "@C" is column C, for columns
// without a name; in rejects.xlsx it is the column that was C in the export. In a file without a header row the columns
// are called A, B, C.
//
// # Fields
//
// The short form is a column name. The long form says where the value comes from, with one of
//
//	column: Mark                            a column
//	columns: [Notes, Remarks]               several, joined with a space or with join: "; " (empty ones are left out)
//	value: true                             the same value for every row; value: null sends null
//	expr: 'upper(row["Mark"])'              an expression (below)
//
// and then, applied in this order, what happens to the value:
//
//	blanks: ["0000000"]                     these texts mean an empty cell
//	values: {Open: yes, Closed: no, "-": }  what each word of the column becomes; nothing after the colon means an empty cell
//	unknown: keep                           what to do with a word that values, yes or no does not list: reject (the default),
//	                                        keep it as it is, default (the default if the field has one), or empty; without
//	                                        these lists a word that cannot be read is rejected
//	default: Unknown                        the value of an empty cell
//	empty: null                             what an empty value becomes (below)
//	lookup: registries                      the lookup replaces the name with its GUID
//	required: true                          an empty value rejects the record
//	max: 100                                the maximum number of characters; a longer text is rejected, or cut with truncate: true
//	pattern: '\d{4}-\d+'                    a regular expression that the whole text must match, of at most 2,500 steps with its repeats written out
//	trim: false                             keeps leading and trailing white space, which is removed otherwise
//	number_format: ignore                   takes only the digits of a number cell (below)
//	rounded: keep                           accepts values that look like numbers rounded by a spreadsheet (below)
//	split: ";"                              for lists: the delimiter between the parts in one cell
//
// The field's type decides how a cell is read:
//
// A GUID has 36 characters; braces, "urn:uuid:" and 32 digits without hyphens are understood too. Anything else is
// rejected, including the GUID of all zeros. In a list of GUIDs (tags, other_supervisors) each of its columns, or with
// split each part of a cell, is one GUID.
//
// Text is passed on as it is: leading zeros, long numbers and trailing zeros stay. A date cell of a workbook is
// rejected where text is wanted, because spreadsheets turn references such as 3-4 into dates; with date_as: DD/MM/YYYY
// the date is written in that format instead. A workbook cell with an error (#N/A) is rejected wherever it is used. In
// a text file such an error is damaged text (text_damaged, see Checks).
//
// A workbook may store 42 and show TM-0042, because of the number format "TM-"0000. Texts, keys and lookups use what
// the sheet shows; numbers, dates and filters use the stored number. If docketsync cannot tell exactly what the sheet
// shows, as with $1,234.50 or 1 234,50 $, the cell is rejected where text is wanted. number_format: ignore, in a field
// or the key, takes the digits alone.
//
// Spreadsheets keep 15 digits of a number. They write a longer one into a text file as 7.9E+07, and the other digits
// are lost. Such a text, or a number cell of 16 digits or more, is rejected wherever the value identifies something: in
// the key; in the numbers of cases, applications, registrations and files; in a name to look up; and in text
// components. So are 03-Apr, Apr-24 and 2024-04-03 00:00:00, the dates that spreadsheets make of 3-4. If a firm's
// references really have that form, set rounded: keep in the field, or in key: {column: Ref, rounded: keep}. A text
// such as 1E5 is not taken for a rounded number.
//
// Some columns have probably lost digits although no single cell shows it. If a column has 3.0031 and also 3.003, it
// once held numbers in a spreadsheet, which drops the last zero of 3.0030. If in a text file all numbers of more than
// 15 digits have zeros after the fifteenth, other digits were probably lost there. If all numbers end in .0, they were
// whole numbers. In an .xlsx or .xls file, a column that shows 1.00 beside 1.01 and 1.10 is read as 1, 1.01 and 1.10.
// If the mapping reads such a column in one of the places above without rounded: keep, the job stops before anything is
// sent; the last kind does not count in components.
//
// Yes or no: true, yes, y, 1, x, on and ✓ mean yes; false, no, n, 0 and off mean no; the words of Spanish, French,
// German, Italian and Portuguese are understood too. List others with yes: [Live] and no: [Dead, Lapsed], or translate
// them with values.
//
// A number (of a folder's file) is passed on digit by digit: 00123, 1E5, 1,234 and TM-7/2024 are rejected. See Numbers.
//
// Lists of entries (good_and_services, files) and components have their own forms (below).
//
// # Empty values
//
// A cell is empty if it holds nothing or only white space, or one of the blanks. An empty required field rejects the
// record; an empty file_client_id or id of an entry becomes null; every other empty field is left out. empty: changes
// that, for one field or, at the top of the file, for all optional ones:
//
//	omit     the field is left out
//	null     it is sent as null
//	keep     the empty text (or list) is sent as it is
//	reject   the record is rejected
//
// # Dates
//
// dates: lists how dates are written: DD/MM/YYYY, D.M.YY, MMM D, YYYY, D de MMMM de YYYY, YYYY-MM-DD hh:mm. D and M are
// day and month; MMM is a month's name, short or in full, in English, Spanish, French, German, Italian or Portuguese;
// hh, mm and ss are the time; a is am or pm; Z is a zone; ddd is a weekday, which must be the weekday of the date. Put
// other words in quotes if they could be mistaken for one of these. Without dates: only YYYY-MM-DD and times such as
// 2024-03-01T10:00:00Z are read. Date cells of a workbook need no pattern.
//
// A date that two of the patterns read as different days is rejected, never guessed: 03/04/2024 is rejected if both
// DD/MM/YYYY and MM/DD/YYYY are listed. Two-digit years need a pivot: with pivot: 50, 49 is 2049 and 50 is 1950.
//
// A date without a time is that day, whatever the zone or offset (2024-03-01+02:00). A time of exactly 00:00 counts as
// no time. A time with a zone is converted to UTC; a time without one needs zone: Europe/Madrid. The day never moves:
// if it would be another day in UTC, as with 2024-03-01T00:30:00+02:00, the time is left out and a note says so. dates,
// pivot and zone can also be set for one field.
//
// With dates: proven each column must prove its own format. All rows are read once before any is mapped. 25/12/2024
// proves that the day comes first in every date of the column with a slash. A column that holds only dates like
// 03/04/2024 proves nothing, and a column with both 25/12/2024 and 12/25/2024 contradicts itself: in both cases the job
// stops before anything is sent, and names the rows. A column may use several formats, such as 2024-03-01 and
// 01/03/2024, if each of them is proven. Rows that the mapping leaves out, and rows without a key, prove nothing.
// Several files of one job are taken together. A two-digit year may also come first, so 25/12/24 proves less than
// 25/12/2024; the pivot must still be set. Impossible dates are rejected row by row. The rows of rejects.xlsx are read
// as the file that they were rejected from, and YYYY-MM-DD as well. Any other small file proves little: listing the
// patterns in dates: is safer. In tests, a test's own rows are the whole column.
//
// The patterns that a mapping lists can be wrong: in a file that has the month first, DD/MM/YYYY rejects 08/24/2017 and
// reads 03/04/2017 as another day. So the job also stops before anything is sent if, for one field, more than one date
// can be read only with day and month exchanged for every twenty that can be read only as listed, and other dates can
// be read both ways. dates_turned: accept imports the dates that can be read. The same holds for dates that an
// expression reads with date(). Numbers stop the job in the same way: in a file where 12,50 occurs, "1,234.56" would
// read 1.234 as one and a bit; numbers_turned: accept in the field imports the numbers that can be read.
//
// Some workbooks went through a spreadsheet program that took the day for the month wherever it could and left the
// other dates as text. Their columns give them away: the date cells all have days up to 12, and the texts have a number
// over 12. One in twenty may differ, and there must be enough date cells, about five, to rule out chance. If the
// mapping reads dates from such a column, in a date field, with date_as or with date(), the job stops before anything
// is sent, whatever dates: says. A sheet that was saved as CSV shows the same by its forms: all dates of one form, such
// as 2015-07-02, have days up to 12, and all dates with numbers of another form, such as 16/03/2015, a number over 12.
// If the dates are right, set dates_turned: accept, for one field or for all.
//
// # Numbers
//
// Number cells of a workbook have one meaning. In text, 1.234 may be one thousand or one and a bit, so numbers: says
// how numbers are written. It shows 1234.56 with the separators that the file uses:
//
//	numbers: "1.234,56"     1.234 is 1234, 0,5 is 0.5
//	numbers: "1,234.56"     1.234 is 1.234, 1,234 is 1234
//	numbers: "1 234,56"     also with "1'234.56"; "1234,56" for no thousands separator
//
// Thousands may have separators or not, but but if one has, all must, in groups of three: 1.23,4 is rejected. Every
// digit is sent as it is written: 1.50 stays 1.50. At the top of the file, numbers: applies to all components of type
// number and integer. In a field it applies to that field; this is also the way to have it applied to the number of a
// folder's file, or to a registration number that is sent as an integer, which are taken as written otherwise. Without
// numbers:, an amount that could be read in two ways is rejected.
//
// # Lookups
//
//	lookups:
//	  registries: lookups/registries.csv                        a CSV file or workbook; the path starts at the mapping's folder
//	  clients:    {file: clients.xlsx, sheet: Agents, name: Company, id: GUID}
//	  languages:  {inline: {English: 6f0c2d7e-…, Spanish: 90f7a1c2-…}}
//	  case_ids:   {ledger: create_case}                         ids that earlier runs received, by the key of their records
//	  companies:  {service: companies}                          a list of the service, if it offers one; the configuration
//	                                                            describes it under service.lists
//
// A lookup file has a column of names and a column of GUIDs. Their headers are "name" and "id" unless name: and id: say
// otherwise. A name is looked up as written first; then again ignoring case, accents on Latin and Greek letters, and
// repeated spaces. check lists the names that were found only this way, in both spellings. A name that could be any of
// several entries is rejected. In other scripts marks count: バ is not ハ, Й is not И. Punctuation counts, and a similar
// name is never accepted: the reject suggests the nearest names, for the first 1,000 names that are not found.
//
// A line without an id is a name that nobody has filled in yet. Whatever uses it, constants and defaults included, is
// rejected with the number of that line, even if a line with a similar name has an id. If a workbook has several sheets
// with these columns, sheet: must name one. If a list of the service has a name with several ids, the name is rejected
// with all of them. Such a list is fetched for every run and plan (or as seldom as its max_age says); check uses the
// list that was fetched last and says when that was. Classes are also found by number: "009" is "Class 9".
//
// # Keys
//
//	key: Our Ref                                 a column
//	key: [Client No, Matter No]                  several, joined with |
//	key: {columns: [Client, Matter], join: "-"}
//	key: {expr: 'before(row["Reference"], "/")'}
//
// The ledger recognizes a record by its key, so the key must not change between exports. A row without a key is
// rejected.
//
// # Rows
//
//	rows:
//	  skip: 'row["Status"] == "Dead"'     leaves rows out; in a list of expressions, any that is true leaves the row out
//	  only: 'row["Country"] == "ES"'      imports only these rows
//	  group: true                         all rows with the same key make one record
//	  fill: true                          a cell that is blank in one row of a record is taken from its other rows
//	  fill_filters: true                  skip and only also see filled cells: the value from the row above, of the same record;
//	                                      if this makes a difference and neither true nor false is set, the record is rejected
//	  max_per_record: 50000               the maximum number of rows with one key, by default 20000; if there are more, all are
//	                                      rejected, because the key is probably the wrong column
//
// Reports count the rows that each expression left out. Give the expression a name to make that easier to read:
//
//	rows:
//	  skip:
//	    dead marks:    'row["Status"] == "Dead"'        "12 filtered: dead marks"
//	    before 2008:   'date(row["Closed"]) < "2008"'
//
// A blank cell is neither before nor after anything, so open matters are kept here. Without date(), texts are compared
// letter by letter; a row is rejected if that order differs from the order of its dates or numbers, as with 17/03/2015
// and 2008, or 9 and 10. This holds for all expressions.
//
// Folders, and marks with one row per class, are grouped automatically. Values that belong to the record itself, such
// as a folder's name and client, must be the same in all its rows; rows that disagree are one reject that lists them
// all.
//
// # Order
//
// Records are sent in the order of the source. A migration that may be interrupted at any moment can send what is due
// soonest first:
//
//	order: {by: expiry_date, nearest: first}
//	order: {by: {column: Next Deadline}}                                         a column that is in no payload
//	order: {by: {expr: 'row["Status"] == "Lapsed" ? "" : row["Expiry"]'}}        an expression; here, lapsed marks go last
//
// by is a date field of the payload, or a column or an expression. The dates of a column or an expression are read like
// those of a field; it can have its own dates:, pivot: and blanks:. A date that cannot be read rejects the record. Only
// the calendar day counts, not the time of day. The earliest day goes first: what is overdue comes before what is due,
// and what has been overdue longest comes first of all, because its grace period ends first. Records without a date go
// last; records of the same day keep the order of the source. If a record has several rows, the nearest date of the
// column or expression counts. Whenever such a run is interrupted, no unsent record is due before a sent one, except
// for those in flight at that moment and those that the report lists as held, failed or in doubt.
//
// # Folders and their files
//
// Each row is a file; the key says which folder it belongs to. A row whose file columns are all empty adds no file.
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
// All goods in one cell, such as "9: software; hardware; 35: advertising". The goods themselves may contain semicolons,
// because an entry begins only at a class number. A class that is written in another way ("; 35 - advertising") rejects
// the record. entries: and class: set other separators:
//
//	good_and_services:
//	  split: {column: Classes, entries: ";", class: ":"}
//	  item:  {search_class_id: {lookup: classes}, language_id: {value: English, lookup: languages}}
//
// Pairs of columns, numbered by # (Class 1 and Goods 1, or 1st Class and so on), or columns that all have the same
// name. Numbers may be missing, but a class column without its goods column stops the job:
//
//	good_and_services:
//	  pairs: {class: "Class #", text: "Goods #"}
//	  item:  {search_class_id: {lookup: classes}, language_id: {value: English, lookup: languages}}
//
// One column per class, with the class number in its name and a mark in each row where the class applies:
//
//	good_and_services:
//	  flags: "Class#"
//	  item:  {search_class_id: {lookup: classes}, language_id: {value: English, lookup: languages}, text: {value: all goods of the class}}
//
// One row per class, if none of these is set:
//
//	good_and_services:
//	  item:  {search_class_id: {column: Class, lookup: classes}, language_id: {value: English, lookup: languages}, text: Goods}
//
// In the first three forms, search_class_id and text take the class and text of the entry automatically; {part: class}
// and {part: text} give them to other fields, and class and text are their names in expressions. An entry's id is null
// unless it is mapped, and an entry with a null id is created. A duplicate entry is sent once. If goods in a column of
// their own begin with a class and a colon, they describe a whole mark, and the record is rejected.
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
// A component with a lookup is linked to an entity and sends its id (entity_id). So does one with type: entity, whose
// cell holds the GUID. Others send a value, always as text; type is text, date, integer, number, boolean or json. An
// empty component is left out. A component can also be named by its id, which needs no lookup. components: [] sends
// none; note that an update of a case replaces all its components.
//
// # Expressions
//
// Expressions are for what the rest cannot express. row["Name"] is the text of a column (a date cell is "2024-03-01");
// today is the day of the run. Write texts in "double quotes". The operators are == != < > and, or, not, in, contains,
// startsWith, endsWith, matches (a regular expression in quotes), + (joins texts), ?: (condition ? then : else) and ??.
// int(row["N"]) makes a number. Expressions are checked when the mapping loads, and always end: the only loops are all,
// any, none, one, filter, map, count and find over a list, with # for the element.
//
//	join(list, "; ")  split(text, ";")  trim(t)  squeeze(t)  upper(t)  lower(t)  fold(t)  replace(t, old, new)
//	before(t, "/")  after(t, "/")  between(t, "(", ")")  left(t, 3)  right(t, 3)  padLeft(t, 6, "0")  digits(t)  letters(t)
//	coalesce(a, b, …)                        the first that is not empty
//	date(t, "DD/MM/YYYY", …)                 the date in a text: "2024-03-01"; empty stays empty; date(row["Filed"]) uses dates:
//	format(d, "D MMMM YYYY")  year(d)  month(d)  day(d)  addDays(d, 30)  addMonths(d, 6)  addYears(d, 10)  daysBetween(a, b)
//	classes(t)                               the class numbers in a text, as a list; 1 to 3 is 1, 2 and 3; 3 classes, 9 (3 items) and NCL 12 are refused
//	fullName("Doe, Jane")  surname(t)  givenNames(t)  initials(t)    "Acme, Inc." and names with several commas are refused
//	lookup("registries", t)  known("registries", t)
//	len  int  string  abs  min  max  first  last  uniq  sort  reverse  indexOf  lastIndexOf  hasPrefix  hasSuffix  trimPrefix  trimSuffix
//
// In a field or the key, < <= > and >= reject the record if one side is empty, because ?: would silently take the part
// after the colon. Test for that case first: 'row["Closed"] == "" or date(row["Closed"]) > today ? "yes" : "no"'.
//
// A pattern with a two-digit year, as in date(t, "D/M/YY"), needs pivot: at the top of the file. squeeze turns several
// spaces into one. fold drops case and accents as lookups do, to compare texts. join leaves out empty parts. padLeft
// leaves an empty text empty. The result goes through the field's other steps, so {expr: …, lookup: registries} works.
//
// # Checks
//
// Before a record is sent, docketsync checks that it makes sense. Each check is error (the record is rejected), warn
// (the record is sent, with a note) or off: checks: {nice_class: off}, or checks: warn for all.
//
//	error   filing_after_registration, expiry_before_registration, expiry_before_filing, filing_in_future,
//	        registration_in_future, status_date_in_future, date_far_off, date_partial, nice_class, text_damaged,
//	        file_number_repeated
//	warn    publication_before_filing, registered_without_number, registered_without_date
//
// date_far_off also covers the days from which programs count and which they write for a missing date: 30/12/1899,
// 31/12/1899, 01/01/1900, 01/01/1904 and 01/01/1970. date_partial finds dates that a sheet shows without a day or a
// year, where the spreadsheet has added a part that nobody typed: the first day to Mar-24, the current year to 5-Nov.
//
// A status that says a mark is registered is recognized in English, Spanish, French, German, Italian and Portuguese.
// Classes of the old United States schedule (A, B, 46 to 52, 100 to 107, 200, and all that are written as US) are told
// apart from Nice classes.
//
// text_damaged finds text that lost something before the file was written: the character U+FFFD, "Ã©" for é, an
// invisible control character in place of a quotation mark, a question mark between two letters (Kr?g for Krąg) or a
// text of question marks alone, a spreadsheet error (#N/A, #REF!, Err:502), or ##### from a column that was too narrow. It also finds placeholders that are not values: NULL, \N, (null), NaN, undefined and
// [object Object] on their own, a formula, '00123, and &uuml; for ü; and a key or reference with an invisible character
// (U+200E, a soft hyphen).
//
// Other checks compare the records of all rows and files of a job with each other; each reason names all records
// concerned.
//
//	twin_key                        two keys differ only in case, accents, spaces, punctuation, leading zeros or look-alike letters: TM-007
//	                                and tm 7; error for creates, where keys that earlier runs created are compared too; warn for
//	                                updates
//	number_repeated                 two cases have the same number; error for create_case, warn for update_case
//	id_repeated                     error: two records update the same case or trademark
//	application_number_repeated     warn: two trademarks of one registry have the same application number,
//	registration_number_repeated    warn: or the same registration number
//	file_number_in_two_folders      warn: two folders of one client have a file with the same number
//	file_created                    error: a new folder has a file that was created earlier in another folder, which no longer has it
//
// You can add your own checks. Each is a condition under which a row is wrong, with a name that says so:
//
//	checks:
//	  closed before opened: 'date(row["Closed"]) < date(row["Opened"])'
//	  no agent yet:         {expr: 'row["Status"] == "Live" and row["Agent"] == ""', level: warn}
//
// Such a check is an error unless level: says warn or off. It is evaluated for each row of a record, without filling
// blank cells. Its code is check, and its name is the message. As in filters, < <= > and >= are false if one side is an
// empty text, so a blank date is neither before nor after another; to test for a blank, write row["Closed"] == "". If a
// check cannot be evaluated for a row, for example because a date is unreadable, the record is rejected too, or with
// warn gets a note. date() without a pattern reads a column as the date field on that column does, and otherwise by
// dates: at the top of the file, where proven is not enough.
//
// Numbers are compared in the same way as keys. A word without a digit, such as pending, and 0000 are not numbers. Rows
// with the same key and different values are always rejected (duplicate_key).
//
// # Tests
//
// A mapping can carry sample rows and the results that are expected of them:
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
// rows: takes several rows of one record; {date: 2024-03-01}, {number: 12} and {error: "#N/A"} are workbook cells.
// payload lists only the fields that matter. reasons are codes that the reject must have, notes are codes that the
// notes must have; key and skipped: true can be used too.
//
// # Reasons
//
// A reject gives every reason, each with a code that stays the same between versions. Notes are doubts that do not keep
// a record from being sent. docketsync help reasons explains all codes.
package mapping
