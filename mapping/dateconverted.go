package mapping

// convertedCase tells a column of which a spreadsheet program has turned some dates around. An export in which the day comes
// first, opened where the month does, has its 03/04/2024 made a date cell of the 4th of March, while 25/12/2024, which is no
// date there, stays text. What remains is a column whose date cells are all of days up to 12 and whose texts all have a day
// over 12; a text that both orders read, or a date cell of a later day, speaks against it.
type convertedCase struct {
	cells, texts []DateEvidence // the first of each
	refuted      bool
}

// addCell takes a date cell, "2024-03-01" with or without a time.
func (c *convertedCase) addCell(e DateEvidence) {
	const day, length = len("2024-03-"), len("2024-03-01")
	if len(e.Text) < length || e.Text[day:length] > "12" {
		c.refuted = true
	}
	if c.refuted || len(c.cells) >= evidenceMost {
		return
	}
	e.Days = []string{e.Text[:length]}
	c.cells = append(c.cells, e)
}

// addText takes a text that the orders by read as days.
func (c *convertedCase) addText(e DateEvidence, by orderSet) {
	if by.has(dayFirst) && by.has(monthFirst) {
		c.refuted = true
	}
	if !c.refuted && (by.has(dayFirst) || by.has(monthFirst)) && len(c.texts) == 0 {
		c.texts = append(c.texts, e)
	}
}

// evidence are the first date cells, and behind them a text; none when nothing speaks for a conversion.
func (c *convertedCase) evidence() []DateEvidence {
	if c.refuted || len(c.cells) == 0 || len(c.texts) == 0 {
		return nil
	}
	return append(c.cells[:len(c.cells):len(c.cells)], c.texts...)
}
