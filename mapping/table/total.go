package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words that begin or end the first text of a row that adds up a table or a part of it. Those of nameTotals also begin
// names, such as Total Oil. Units stand between such a word and its number, or after it without a number.
var (
	nameTotals = Words("total totals totale totales totaal totaux gesamt ergebnis sum summe suma somme soma")
	// endWords and namePhrases begin texts below a table, but more often names, such as Number of the Beast.
	endWords    = Words("σ anzahl average generated")
	namePhrases = Words("number_of count_of printed_by printed_on generated_by generated_on")
	sureTotals  = Words("subtotal subtotals subtotale subtotales subtotais subtotaal sub-total sub-totals sous-total sous-totaux eindtotaal zwischensumme teilsumme endsumme " +
		"gesamtsumme gesamtbetrag gesamtzahl gesamtanzahl gesamtergebnis teilergebnis insgesamt 合計 小計 総計 总计 合计 小计 총계 합계 소계")
	totalPhrases = Words("grand_total grand_totals gran_total sub_total sub_totals sous_total suma_total total_general total_geral totale_generale")
	totalUnits   = Words("general generale geral of de amount number count records rows matters cases files marks trademarks entries items akten marken fälle datensätze fees hours eur usd gbp chf")
)

// longestTotal is longer than any of these words.
const longestTotal = 32

// IsTotalWord reports whether a word, without the signs around it, says that a row adds others up.
func IsTotalWord(word string) bool {
	word = totalFold(word)
	return nameTotals[word] || sureTotals[word] || endWords[word]
}

func totalFold(word string) string { return strings.Trim(Fold(word), ".:：") }

// TotalWord returns the beginning of a text that says the row adds others up, with the colon after it. It returns "" if
// there is none.
func TotalWord(text string) string {
	first := firstWord(text)
	if len(first) > longestTotal || strings.ContainsFunc(first, func(r rune) bool { return '0' <= r && r <= '9' }) {
		return "" // the usual case
	}
	if second := firstWord(strings.TrimLeft(text[len(first):], " ")); second != "" {
		if phrase := totalFold(first + " " + second); totalPhrases[phrase] || namePhrases[phrase] {
			return text[:strings.Index(text, second)+len(second)]
		}
	}
	if !IsTotalWord(first) {
		return ""
	}
	return first
}

// firstWord returns a text up to its first space, bracket or equals sign, or up to and including an earlier colon.
func firstWord(text string) string {
	for at, c := range text {
		switch {
		case c == ':' || c == '：':
			return text[:at+len(string(c))]
		case unicode.IsSpace(c) || c == '(' || c == '=':
			return text[:at]
		}
	}
	return text
}

// LooksLikeEnd reports whether a text is one of those below a table that are often names, such as "Average" or "Printed
// by", in a form that is probably not a name.
func LooksLikeEnd(text string) bool {
	word := TotalWord(text)
	if word == "" {
		return false
	}
	word = totalFold(word)
	return (endWords[word] || namePhrases[word]) && LooksLikeTotal(text)
}

// LooksLikeTotal reports whether a text comes from a row that adds others up: a total word, alone or followed by a
// number or a count of something. A name that begins with the word does not count.
func LooksLikeTotal(text string) bool {
	word := TotalWord(text)
	first, _, _ := strings.Cut(word, " ")
	rest := text[len(word):]
	switch {
	case word == "" || !nameTotals[totalFold(first)] && !endWords[totalFold(first)] && !namePhrases[totalFold(word)]:
		return word != "" // no name begins like this
	case strings.TrimRight(word, ":：") != word && strings.ContainsAny(rest, "0123456789"):
		return true
	}
	for part := range strings.FieldsSeq(rest) {
		if part = strings.Trim(Fold(part), "()[]=+-#*.,:：%€$£¥"); part != "" && !totalUnits[part] {
			return strings.Trim(part, "0123456789.,'") == ""
		}
	}
	return true
}

// ReplaceWord replaces a word wherever it stands by itself, that is, not as part of a longer word or number.
func ReplaceWord(text, word, with string) string {
	var b strings.Builder
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	done := 0
	for end := 0; word != ""; {
		at := strings.Index(text[end:], word)
		if at < 0 {
			break
		}
		start := end + at
		end = start + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[end:])
		if partOfWord(before) && partOfWord(first) || partOfWord(last) && partOfWord(behind) { // the match is part of a longer word
			continue
		}
		b.WriteString(text[done:start] + with)
		done = end
	}
	return b.String() + text[done:]
}

func partOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
