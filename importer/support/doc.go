// Package support makes the bundle that a firm sends to whoever helps it with a run: every reason with its position, and no word of
// the firm or its clients.
//
// Nothing is taken out of anything: text that may hold a client's word cannot be told from text that does not. A bundle is put
// together of what the program itself can say, which is numbers, times, and the words of its own closed lists (codes, outcomes, fields of
// the service, settings with a list of values). Any other text is left out, and where it matters whether two texts are the same
// (keys, values, names of files and sheets, jobs), a hash stands for it. The key of these hashes is made for the bundle and written
// nowhere, so that nobody can try names on them; they are spelled in consonants, so that none looks like a word or a number.
//
// A header is a client's word too: columns go by their letters, and a header is named only where it is a field of the service. Of a
// value that could not be read as a date or a number, the form is told (99/99/9999, a 9, 9999), for that is what the question is about then.
package support
