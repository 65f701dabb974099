package corrected

import "strings"

// ownPrefix begins the names of docketsync's own columns in the workbook of rejects. A mapping takes columns by name, so
// it does not see them, and the source knows the sheets by the first of them; when such a workbook has rejects of its own, they are not written a second time.
const ownPrefix = "docketsync:"

// Columns stand in front of the original ones.
var Columns = []string{"docketsync: reasons", "docketsync: row", "docketsync: cells", "docketsync: record"}

func Own(header string) bool { return strings.HasPrefix(header, ownPrefix) }

// markColumn is the header of docketsync's own column that names the record of a row.
var markColumn = Columns[3]
