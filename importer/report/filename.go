package report

// The names of the files of a report.
const (
	HTMLFile    = "report.html"
	JSONFile    = "report.json"
	CSVFile     = "report.csv"
	RejectsFile = "rejects.xlsx"

	// CSVPackedFile is CSVFile where that would be long.
	CSVPackedFile = "report.csv.gz"

	VanishedFile = "vanished.csv"
	StaysFile    = "stays.csv"
	DiffersFile  = "differs.csv"
)

// Files are all of them.
var Files = []string{HTMLFile, JSONFile, CSVFile, CSVPackedFile, RejectsFile, VanishedFile, StaysFile, DiffersFile}
