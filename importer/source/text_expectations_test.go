package source

// textExpectation is what reading a file of the data folder must give. Either fault is set, or the rest.
type textExpectation struct {
	encoding, delimiter string
	header              int // row of the header, 0 for none
	rows, columns       int // rows below the header, blank ones included
	first, last         string
	codes               string // warnings
	fault               string
}

// textExpectations has every text file of the data folder.
var textExpectations = map[string]textExpectation{
	"matters/synthetic/clio_matters_template.csv":                             {encoding: "utf-8", delimiter: "comma", header: 1, rows: 40, columns: 12, first: "2: Open|Off-site||Estate planning\n(second marriage)|02/09/2014|||2014-00001||Dagny|Nilsson|", last: "41/51: Pending|Cabinet 4, shelf B|CV-2013-079966|Lease review; 12 Fictional Rd|04/07/2013||04/07/2013|2013-00040|Conflict check done; see email of 5/6|Hiro|Okafor|"},
	"matters/synthetic/numeric_matter_ids.csv":                                {encoding: "utf-8", delimiter: "comma", header: 1, rows: 123, columns: 21, first: "2: 3.003|MacLeod/Alba|||||||||||||||||||MacLeod/Alba", last: "124: 59.001|O'Hare/Hiro|ads. Vásquez LLC||||||||||||||||||O'Hare/Hiro"},
	"trademarks/synthetic/ip_docket_semicolon_repeated_headers.csv":           {encoding: "windows-1252", delimiter: "semicolon", header: 1, rows: 30, columns: 33, first: "2: TM0001|TM|M1200|EM|EP||ALT/1995-0|jdoe|10/06/1995|094151367|||||10/06/2005|à vérifier ; voir courrier|TM0001|TM0001|TM|FEROLIN PLUS|fr|1|TMCL|2,6||2|TM0001|Société Générale des Eaux Fictives|CLI|1|100||", last: "31/40: TM0030|TM|M1229|FR|EP||ALT/2006-29||05/01/2006|074269566|13/08/2006|01210342|||05/01/2016|||TM0030|TM|RHOUMO PLUS|fr|1|TMCL|31,43||2|TM0030|Maison Verdier S.A.|CLI|1|100||", codes: "encoding_guessed []"},
	"trademarks/synthetic/ukipo_OpenDataDomestic_like.txt":                    {encoding: "utf-16le", delimiter: "pipe", header: 1, rows: 25, columns: 62, first: "2: UK00003252362|https://www.ipo.gov.uk/tmcase/Results/1/UK00003252362|3 / 4|Harrow & Pike Ltd||London|Germany|Withdrawn|Standard|Other|Y|2|1982-11-12|1983-02-10|||||||||||||||||||1|||||||||||||||||||||||||||||", last: "26: UK00003296943|https://www.ipo.gov.uk/tmcase/Results/1/UK00003296943|Line one, line two|Nordlicht Optik GmbH|EH3||United Kingdom|Withdrawn|Standard|Figurative|Y||1907-08-02|1907-10-31|||||||1|1|||||||||||||||||||||||||||1|||||||||||1||"},
	"trademarks/synthetic/uspto_case_file_like.csv":                           {encoding: "utf-8", delimiter: "comma", header: 1, rows: 40, columns: 21, first: "2: 78408665|0000000|2008-01-21|||2009-12-21||||602|2009-12-31||4000|1|0|0|1|0|0|0|DOE, JANE", last: "41: 78966398|0000000|1984-03-04|||1986-02-02||||602|1986-02-12|VEXIVO & Co.|5000|1|0|1|1|0|0|0|"},
	"trademarks/uspto-watch/trademarks.csv":                                   {encoding: "utf-8", delimiter: "comma", rows: 90, columns: 5, first: "1: 88977492|BITS OF STOCK|No|0|", last: "90/95: 88783375|TERRA ALIA|No|0|"},
	"ugly/csv-spectrum/csvs/comma_in_quotes.csv":                              {encoding: "utf-8", delimiter: "comma", header: 1, rows: 1, columns: 5, first: "2: John|Doe|120 any st.|Anytown, WW|08123", last: "2: John|Doe|120 any st.|Anytown, WW|08123"},
	"ugly/csv-spectrum/csvs/empty.csv":                                        {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 3, first: "2: 1||", last: "3: 2|3|4"},
	"ugly/csv-spectrum/csvs/empty_crlf.csv":                                   {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 3, first: "2: 1||", last: "3: 2|3|4"},
	"ugly/csv-spectrum/csvs/escaped_quotes.csv":                               {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 2, first: "2: 1|ha \"ha\" ha", last: "3: 3|4"},
	"ugly/csv-spectrum/csvs/json.csv":                                         {encoding: "utf-8", delimiter: "comma", header: 1, rows: 1, columns: 2, first: "2: 1|{\"type\": \"Point\", \"coordinates\": [102.0, 0.5]}", last: "2: 1|{\"type\": \"Point\", \"coordinates\": [102.0, 0.5]}"},
	"ugly/csv-spectrum/csvs/newlines.csv":                                     {encoding: "utf-8", delimiter: "comma", header: 1, rows: 3, columns: 3, first: "2: 1|2|3", last: "4/5: 7|8|9"},
	"ugly/csv-spectrum/csvs/newlines_crlf.csv":                                {encoding: "utf-8", delimiter: "comma", header: 1, rows: 3, columns: 3, first: "2: 1|2|3", last: "4/5: 7|8|9"},
	"ugly/csv-spectrum/csvs/quotes_and_newlines.csv":                          {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 2, first: "2: 1|ha \n\"ha\" \nha", last: "3/5: 3|4"},
	"ugly/csv-spectrum/csvs/simple.csv":                                       {encoding: "utf-8", delimiter: "comma", header: 1, rows: 1, columns: 3, first: "2: 1|2|3", last: "2: 1|2|3"},
	"ugly/csv-spectrum/csvs/simple_crlf.csv":                                  {encoding: "utf-8", delimiter: "comma", header: 1, rows: 1, columns: 3, first: "2: 1|2|3", last: "2: 1|2|3"},
	"ugly/csv-spectrum/csvs/utf8.csv":                                         {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 3, first: "2: 1|2|3", last: "3: 4|5|ʤ"},
	"ugly/frictionless/blank-headers.csv":                                     {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 3, first: "2: 1101|John|30", last: "3: 1102|Julie|26"},
	"ugly/frictionless/blank-rows.csv":                                        {encoding: "utf-8", delimiter: "comma", header: 1, rows: 3, columns: 3, first: "2: 1101|John|30", last: "4: || [blank]"},
	"ugly/frictionless/capital-invalid.csv":                                   {encoding: "utf-8", delimiter: "comma", header: 1, rows: 11, columns: 3, first: "2: 1|London|Britain", last: "12: x|Tokio|Japan|review", codes: "ragged_rows [10], ragged_rows [12]"},
	"ugly/frictionless/issue-1009-semicolon.csv":                              {encoding: "utf-8", delimiter: "semicolon", header: 1, rows: 1, columns: 2, first: "2: 0123|c", last: "2: 0123|c"},
	"ugly/frictionless/latin1.csv":                                            {encoding: "windows-1252", delimiter: "comma", header: 1, rows: 2, columns: 2, first: "2: 1|english", last: "3: 2|©", codes: "encoding_guessed []"},
	"ugly/frictionless/leading-zeros.csv":                                     {encoding: "utf-8", delimiter: "none", header: 1, rows: 3, columns: 1, first: "2: 01", last: "4: 00003"},
	"ugly/frictionless/skip-blank-at-the-end.csv":                             {encoding: "utf-8", delimiter: "comma", header: 1, rows: 3, columns: 2, first: "2: #testing comment|", last: "4: | [blank]", codes: "ragged_rows [2]"},
	"ugly/frictionless/structure-errors.csv":                                  {encoding: "utf-8", delimiter: "comma", header: 1, rows: 4, columns: 3, first: "2: 1101|John|30", last: "5: 1|2|3|4|5|6", codes: "ragged_rows [5]"},
	"ugly/frictionless/table-infer-iso-8859-7.csv":                            {fault: "table-infer-iso-8859-7.csv: the encoding can't be told: the file is no UTF-8, and as Windows-1252 it would read \"Ëåùíéäáò\""},
	"ugly/messytables-horror/complex.csv":                                     {encoding: "utf-8", delimiter: "comma", header: 1, rows: 3, columns: 4, first: "2: 2011-01-01| 24 October 2011| 0|", last: "4: 2011-01-03| |6,000,000|Galway", codes: "blanks_around_quotes [4]"},
	"ugly/messytables-horror/excel_pasting.csv":                               {encoding: "utf-8", delimiter: "comma", header: 4, rows: 17, columns: 9, first: "5: Timber|2,666|2,274|1,877|1,999|2,055|1,632|1,687|1,751", last: "21/24: Note: includes emissions from electricity use, using a constant emission factor||||||||", codes: "looks_like_total [18], lone_cell [20 21]"},
	"ugly/messytables-horror/null.csv":                                        {encoding: "utf-8", delimiter: "comma", rows: 10, columns: 4, first: "1: 1|null|0|0", last: "10: 10|null|0|0"},
	"ugly/messytables-horror/simple.csv":                                      {encoding: "utf-8", delimiter: "comma", header: 1, rows: 6, columns: 3, first: "2: 2011-01-01|1|Galway", last: "7: 2011-01-03|5|Berkeley"},
	"ugly/messytables-horror/simple.psv":                                      {encoding: "utf-8", delimiter: "pipe", header: 1, rows: 28, columns: 6, first: "2: 1986|44000|35000|36000|27000|45000", last: "29: 2013|240000|251000|251000|190000|292000"},
	"ugly/messytables-horror/skip_initials.csv":                               {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 2, first: "2: hello|    goodbye", last: "3: hello2|goodbye2"},
	"ugly/messytables-horror/small.csv":                                       {encoding: "utf-8", delimiter: "none", header: 1, columns: 1},
	"ugly/messytables-horror/utf8bom.csv":                                     {encoding: "utf-8", delimiter: "comma", header: 1, columns: 2},
	"ugly/phpspreadsheet-csv/NumberFormatTest.csv":                            {encoding: "utf-8", delimiter: "comma", rows: 3, columns: 3, first: "1: -123|1,234|12,345.67", last: "3: -1,234.567|1234.567|", codes: "ragged_rows [2 3]"},
	"ugly/phpspreadsheet-csv/backslash.csv":                                   {encoding: "utf-8", delimiter: "comma", header: 1, rows: 1, columns: 2, first: "2: field 3\\|field 4", last: "2: field 3\\|field 4"},
	"ugly/phpspreadsheet-csv/encoding.utf16be.csv":                            {encoding: "utf-16be", delimiter: "comma", rows: 2, columns: 2, first: "1: Å|1", last: "2: 2|3"},
	"ugly/phpspreadsheet-csv/encoding.utf16le.csv":                            {encoding: "utf-16le", delimiter: "comma", rows: 2, columns: 2, first: "1: Å|1", last: "2: 2|3"},
	"ugly/phpspreadsheet-csv/encoding.utf32be.csv":                            {encoding: "utf-32be", delimiter: "comma", rows: 2, columns: 2, first: "1: Å|1", last: "2: 2|3"},
	"ugly/phpspreadsheet-csv/encoding.utf8.csv":                               {encoding: "utf-8", delimiter: "comma", rows: 2, columns: 2, first: "1: Å|1", last: "2: 2|3"},
	"ugly/phpspreadsheet-csv/escape.csv":                                      {fault: "escape.csv, row 1, column A: a quote stands in the middle of the cell"},
	"ugly/phpspreadsheet-csv/line_break_escaped_32le.csv":                     {encoding: "utf-32le", delimiter: "comma", header: 1, rows: 4, columns: 3, first: "2: Test|This is a \"test csv file\"\nwith both \"line breaks\"\nand \"escaped\nquotes\" that breaks\nthe delimiters|http://google.com", last: "5/17: Test|This is a \"test csv file\"\nwith both \"line breaks\"\nand \"escaped\nquotes\" that breaks\nthe delimiters|http://google.com"},
	"ugly/phpspreadsheet-csv/line_break_in_enclosure_with_escaped_quotes.csv": {encoding: "utf-8", delimiter: "comma", header: 1, rows: 4, columns: 3, first: "2: Test|This is a \"test csv file\"\nwith both \"line breaks\"\nand \"escaped\nquotes\" that breaks\nthe delimiters|http://google.com", last: "5/17: Test|This is a \"test csv file\"\nwith both \"line breaks\"\nand \"escaped\nquotes\" that breaks\nthe delimiters|http://google.com"},
	"ugly/phpspreadsheet-csv/no_delimiter.csv":                                {encoding: "utf-8", delimiter: "none", header: 1, columns: 1},
	"ugly/phpspreadsheet-csv/premiere.utf16be.csv":                            {encoding: "utf-16be", delimiter: "comma", header: 1, rows: 1, columns: 3, first: "2: Quatrième|cinquième|sixième", last: "2: Quatrième|cinquième|sixième"},
	"ugly/phpspreadsheet-csv/premiere.utf16le.csv":                            {encoding: "utf-16le", delimiter: "comma", header: 1, rows: 2, columns: 3, first: "2: Quatrième|cinquième|sixième", last: "3: 𐐀|\ufffe|\uffff"},
	"ugly/phpspreadsheet-csv/semicolon_separated.csv":                         {encoding: "utf-8", delimiter: "semicolon", header: 1, rows: 2, columns: 3, first: "2: Cell A2|Number with comma|25,5", last: "3: Two colons and a comma|B|3|:,:"},
	"ugly/sheetjs/crlf__crlf.csv":                                             {encoding: "utf-8", delimiter: "comma", header: 1, rows: 2, columns: 2, first: "2/3: Formula|abc\r\ndef", last: "3/5: Test|"},
}
