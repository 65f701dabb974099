package file

import (
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// The forms mirror the mapping file as written; the compiler turns them into rules. Their tags are the keys of the file
// and, in the JSON Schema, the descriptions that editors show.

type mappingForm struct {
	Extends   rule.Word      `yaml:"extends" jsonschema_description:"A base mapping, whose keys and entries hold where this file does not say them."`
	Operation rule.Word      `yaml:"operation" jsonschema:"required" jsonschema_description:"What the rows become: an operation of the service."`
	Scope     rule.Word      `yaml:"scope" jsonschema_description:"The name under which the ledger stores the records (default: the operation)."`
	Key       *document.Node `yaml:"key" jsonschema_description:"What identifies a record: a column, a list of columns, or {expr: …}."`
	Rows      rowsForm       `yaml:"rows" jsonschema_description:"Which rows are taken, and how rows make records."`
	Dates     rule.Words     `yaml:"dates" jsonschema_description:"How dates are written, such as DD/MM/YYYY; or proven, where every column must prove it. Date cells of a workbook need none."`
	Pivot     *int           `yaml:"pivot" jsonschema_description:"For two-digit years: those below the pivot are 20xx, the others 19xx."`
	Zone      rule.Word      `yaml:"zone" jsonschema_description:"The time zone of times that are written without one, such as Europe/Madrid."`
	Turned    rule.Word      `yaml:"dates_turned" jsonschema_description:"accept, where the dates of a column are right although day and month seem to be swapped in them (default: stop)."`
	Numbers   rule.Word      `yaml:"numbers" jsonschema_description:"How the numbers of components are written as text, by the example of 1234.56: \"1.234,56\"."`
	Empty     *document.Node `yaml:"empty" jsonschema_description:"What an empty optional field becomes: omit (the default), null, keep or reject."`
	Blanks    rule.Words     `yaml:"blanks" jsonschema_description:"Texts that mean an empty cell, such as n/a."`
	Booleans  booleansForm   `yaml:"booleans" jsonschema_description:"Words for yes and no, in addition to the usual ones."`
	Lookups   *document.Node `yaml:"lookups" jsonschema_description:"Tables that turn names into GUIDs."`
	Fields    *document.Node `yaml:"fields" jsonschema:"required" jsonschema_description:"Where each field of the operation comes from."`
	Order     *document.Node `yaml:"order" jsonschema_description:"The order in which records are sent: {by: expiry_date, nearest: first}."`
	Checks    *document.Node `yaml:"checks" jsonschema_description:"What the checks before sending do: error, warn or off; and checks of your own, {closed before opened: 'date(row[…]) < date(row[…])'}."`
	Tests     *document.Node `yaml:"tests" jsonschema_description:"Test rows and their expected results."`
}

type rowsForm struct {
	Skip   filterForms `yaml:"skip" jsonschema_description:"Rows for which one of these expressions is true are left out. {dead marks: 'row[…] == …'} names an expression for reports."`
	Only   filterForms `yaml:"only" jsonschema_description:"Rows for which one of these expressions is not true are left out. They can be named like those of skip."`
	Group  bool        `yaml:"group" jsonschema_description:"Several rows with one key make one record."`
	Fill   bool        `yaml:"fill" jsonschema_description:"A cell left blank in one row of a record is taken from its other rows."`
	Filled *bool       `yaml:"fill_filters" jsonschema_description:"Whether skip and only see a cell left blank as it stands in the row above, of the same record, where fill is set."`
	Most   *int        `yaml:"max_per_record" jsonschema_description:"The most rows of one key; more are rejected, as the key is probably the wrong column (default: 20000)."`
}

type booleansForm struct {
	Yes rule.Words `yaml:"yes" jsonschema_description:"Words for yes."`
	No  rule.Words `yaml:"no" jsonschema_description:"Words for no."`
}

// fieldForm is the long form of a field. The short form, a text alone, is its column.
type fieldForm struct {
	Column   rule.Word      `yaml:"column" jsonschema_description:"The column to take."`
	Columns  rule.Words     `yaml:"columns" jsonschema_description:"Several columns, joined; of a list, one entry each."`
	Join     *string        `yaml:"join" jsonschema_description:"The separator between joined columns (default: a space)."`
	Value    *document.Node `yaml:"value" jsonschema_description:"The same value for every row."`
	Expr     rule.Word      `yaml:"expr" jsonschema_description:"An expression, such as 'row[\"Notes\"] + \" \" + row[\"Remarks\"]'."`
	Part     rule.Word      `yaml:"part" jsonschema_description:"In an entry of goods and services: class or text."`
	Split    rule.Word      `yaml:"split" jsonschema_description:"For a list: the separator between its values in one cell."`
	Blanks   rule.Words     `yaml:"blanks" jsonschema_description:"Texts that mean an empty cell."`
	Values   *document.Node `yaml:"values" jsonschema_description:"What the words of the column become."`
	Unknown  rule.Word      `yaml:"unknown" jsonschema_description:"What happens to a word that is not in values: reject, keep, default or empty."`
	Lookup   rule.Word      `yaml:"lookup" jsonschema_description:"The lookup that turns the text into a GUID."`
	Default  *document.Node `yaml:"default" jsonschema_description:"The value of an empty cell, and of a word that the values, yes or no of the field do not have."`
	Empty    *document.Node `yaml:"empty" jsonschema_description:"What an empty value becomes: omit, null, keep or reject."`
	Required *bool          `yaml:"required" jsonschema_description:"Reject records without it."`
	Max      *int           `yaml:"max" jsonschema_description:"The maximum number of characters."`
	Truncate bool           `yaml:"truncate" jsonschema_description:"Cut a longer text instead of rejecting it."`
	Pattern  rule.Word      `yaml:"pattern" jsonschema_description:"A regular expression that the whole text must match."`
	Trim     *bool          `yaml:"trim" jsonschema_description:"false keeps white space around the text."`
	Rounded  rule.Word      `yaml:"rounded" jsonschema_description:"keep takes values that look like numbers a spreadsheet has rounded, such as 7.9E+07."`
	Format   rule.Word      `yaml:"number_format" jsonschema_description:"ignore uses only the digits of a number cell, without the symbols that its number format adds."`
	Dates    rule.Words     `yaml:"dates" jsonschema_description:"How this field's dates are written, or proven."`
	Pivot    *int           `yaml:"pivot" jsonschema_description:"The pivot of this field's two-digit years."`
	Zone     rule.Word      `yaml:"zone" jsonschema_description:"The time zone of this field's times."`
	Turned   rule.Word      `yaml:"dates_turned" jsonschema_description:"The same for the columns of this field: accept or stop."`
	DateAs   rule.Word      `yaml:"date_as" jsonschema_description:"For a text field: how a date cell is written, such as YYYY-MM-DD."`
	Numbers  rule.Word      `yaml:"numbers" jsonschema_description:"How this field's numbers are written as text, by the example of 1234.56: \"1.234,56\"."`
	Signs    rule.Word      `yaml:"numbers_turned" jsonschema_description:"accept rejects numbers that are not written so and imports the others, however many they are (default: stop)."`
	Yes      rule.Words     `yaml:"yes" jsonschema_description:"Words for yes."`
	No       rule.Words     `yaml:"no" jsonschema_description:"Words for no."`
	Type     rule.Word      `yaml:"type" jsonschema_description:"For a component: text, date, integer, number, boolean, json or entity."`
}

// itemsForm is a field that holds a list of entries: goods and services, or files.
type itemsForm struct {
	Split *splitForm     `yaml:"split" jsonschema_description:"One cell holds all entries."`
	Pairs *pairsForm     `yaml:"pairs" jsonschema_description:"Each entry has columns of its own, counted by #."`
	Flags rule.Word      `yaml:"flags" jsonschema_description:"A column for each class, counted by #, marked in those that apply."`
	Item  *document.Node `yaml:"item" jsonschema:"required" jsonschema_description:"The fields of an entry."`
	Empty *document.Node `yaml:"empty" jsonschema_description:"What an empty list of entries becomes: omit, keep (an empty list) or reject."`
}

type splitForm struct {
	Column  rule.Word `yaml:"column" jsonschema:"required" jsonschema_description:"The column to split."`
	Entries *string   `yaml:"entries" jsonschema_description:"The separator between entries (default: a semicolon)."`
	Class   *string   `yaml:"class" jsonschema_description:"The separator between class and text (default: a colon)."`
}

type pairsForm struct {
	Class rule.Word `yaml:"class" jsonschema:"required" jsonschema_description:"The columns of the classes, such as Class #."`
	Text  rule.Word `yaml:"text" jsonschema_description:"The columns of the texts, such as Goods #."`
}

// componentsForm is the field components of update_case.
type componentsForm struct {
	Lookup rule.Word      `yaml:"lookup" jsonschema_description:"The lookup that turns the names of components into their ids."`
	Items  *document.Node `yaml:"items" jsonschema:"required" jsonschema_description:"Each component by its name (or id), and where its value comes from."`
}

type lookupForm struct {
	File    rule.Word      `yaml:"file" jsonschema_description:"A CSV file or workbook, relative to the mapping file."`
	Sheet   rule.Word      `yaml:"sheet" jsonschema_description:"The sheet of a workbook."`
	Name    rule.Word      `yaml:"name" jsonschema_description:"The column with the names."`
	ID      rule.Word      `yaml:"id" jsonschema_description:"The column with the GUIDs."`
	Ledger  rule.Word      `yaml:"ledger" jsonschema_description:"The ids that earlier runs were given, by the operation (or scope) that created them."`
	Service rule.Word      `yaml:"service" jsonschema_description:"A list of the service, by the name that the configuration gives it under service.lists."`
	Inline  *document.Node `yaml:"inline" jsonschema_description:"The names and their GUIDs, written here."`
}

// filterForm is an expression about a row, with its name in reports. Reports show the expression itself if it has no
// name.
type filterForm struct {
	name string
	expr rule.Word
}

// filterForms is one expression, a list of them, or a block of them by name.
type filterForms []filterForm

// UnmarshalNode takes a scalar, a list of scalars or a block.
func (l *filterForms) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	var faults diagnostic.Faults
	if n.Kind == document.Block {
		for key, value := range document.Pairs(n) {
			form := filterForm{name: table.Trim(key.Value)}
			faults = append(faults, form.expr.UnmarshalNode(f, value)...)
			*l = append(*l, form)
		}
		return faults
	}
	var plain rule.Words
	faults = plain.UnmarshalNode(f, n)
	for _, w := range plain {
		*l = append(*l, filterForm{expr: w})
	}
	return faults
}
