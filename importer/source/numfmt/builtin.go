package numfmt

// builtinFormat returns the format that an id below 164 stands for when the workbook does not spell it (ECMA-376 part 1,
// 18.8.30). Ids 27–36 and 50–58 differ between Chinese, Japanese and Korean: a day in one is a time in another, so the
// cell's value decides. Unknown ids are General, as in the programs that wrote them.
func builtinFormat(id int) numberFormat {
	switch {
	case id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id == 57, id == 58:
		return numberFormat{sections: []formatSection{{class: formatDate}}}
	case id == 32, id == 33:
		return numberFormat{sections: []formatSection{{class: formatTime}}}
	case id == 34, id == 35, id == 55, id == 56:
		return numberFormat{sections: []formatSection{{class: formatEither}}}
	}
	if code, ok := builtinCodes[id]; ok {
		return parseNumberFormat(code)
	}
	return general
}

// builtinCodes are the format codes that mean the same in every language, and the Thai ones (59–81), which no other
// language uses.
var builtinCodes = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: `"$"#,##0_);("$"#,##0)`, 6: `"$"#,##0_);[Red]("$"#,##0)`,
	7: `"$"#,##0.00_);("$"#,##0.00)`, 8: `"$"#,##0.00_);[Red]("$"#,##0.00)`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
	18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
	37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 48: "##0.0E+0", 49: "@",
	67: "0%", 68: "0.00%", 69: "# ?/?", 70: "# ??/??",
	71: "d/m/yyyy", 72: "d-mmm-yy", 73: "d-mmm", 74: "mmm-yy", 75: "h:mm", 76: "h:mm:ss",
	77: "d/m/yyyy h:mm", 78: "mm:ss", 79: "[h]:mm:ss", 80: "mm:ss.0", 81: "d/m/yy",
}
