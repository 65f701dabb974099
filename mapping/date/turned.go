package date

import "docketsync/mapping/table"

// convertedCase is the same of a column whose cells are kept as evidence.
type convertedCase struct {
	table.Turning
	cells, texts []Evidence // the first of those that speak for it
}

func (c *convertedCase) addCell(e Evidence) {
	if c.Cell(e.Text) && len(c.cells) < evidenceMost {
		e.Days = []string{e.Text[:len("2024-03-01")]}
		c.cells = append(c.cells, e)
	}
}

// addText takes a text that the orders by read as days.
func (c *convertedCase) addText(e Evidence, by orderSet) {
	day, month := by.has(dayFirst), by.has(monthFirst)
	if !day && !month {
		return
	}
	c.Text(!day || !month)
	if (!day || !month) && len(c.texts) == 0 {
		c.texts = append(c.texts, e)
	}
}

// evidence are the first date cells, and behind them a text; none when nothing speaks for a conversion.
func (c *convertedCase) evidence() []Evidence {
	if !c.Likely() {
		return nil
	}
	return append(c.cells[:len(c.cells):len(c.cells)], c.texts...)
}
