package rejects

import (
	"math"
	"testing"

	"docketsync/mapping/table"
)

// TestATimeKeepsItsFractions, which a workbook shows and another reader of it would miss.
func TestATimeKeepsItsFractions(t *testing.T) {
	t.Parallel()
	for text, seconds := range map[string]float64{"10:20:30.500": 37230.5, "10:20:30": 37230, "00:00:00": 0, "23:59:59.997": 86399.997} {
		value, _ := worksheetValue(table.Cell{Kind: table.Clock, Text: text})
		if got, ok := value.(float64); !ok || math.Abs(got*86400-seconds) > 1e-6 {
			t.Errorf("%s is written as %v", text, value)
		}
	}
}
