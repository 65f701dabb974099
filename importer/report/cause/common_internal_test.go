package cause

import "testing"

// What several records have in common is still the sentence that each of them is.
func TestCommonWordsStayASentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want, a, b string }{
		{"the same", "one", "one", "one"},
		{"quoted texts", `"…" is not a GUID`, `"a b" is not a GUID`, `"\"c\", d" is not a GUID`},
		{"of which one is the same", `"…" is not in the lookup "attorneys"`, `"a b" is not in the lookup "attorneys"`, `"c" is not in the lookup "attorneys"`},
		{
			"several places", `"…" is … when read as DD/MM/YYYY and … when read as MM/DD/YYYY`,
			`"03/04/2021" is 3 April 2021 when read as DD/MM/YYYY and 4 March 2021 when read as MM/DD/YYYY`,
			`"05/06/2020" is 5 June 2020 when read as DD/MM/YYYY and 6 May 2020 when read as MM/DD/YYYY`,
		},
		{"numbers", "the text has … characters, and name takes at most 254", "the text has 300 characters, and name takes at most 254", "the text has 1034 characters, and name takes at most 254"},
		{"dates", "registration_date … is before application_date …", "registration_date 2014-01-02 is before application_date 2015-02-03", "registration_date 2016-01-02 is before application_date 2017-02-03"},
		{"more of a list", `several rows have the same key and different values: "…" in rows …`, `several rows have the same key and different values: "A" in rows 2, 3`, `several rows have the same key and different values: "B" in rows 2, 3, 4`},
		{"another sentence", "name is empty", "name is empty", "number is no number"},
		{"nothing yet", "one", "one", ""},
		{"a quote in quotes", `“…” is not known`, `“…” is not known`, `“x” is not known`},
	} {
		got := common(c.a, c.b)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if again := common(got, c.b); again != got && c.b != "" {
			t.Errorf("%s: a second time %q", c.name, again)
		}
	}
}
