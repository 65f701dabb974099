package officexml

import (
	"slices"
	"strings"
)

// names are what people call elements, by the end of their path in a mark. The longest that fits counts.
var names = map[string]string{
	"ApplicationNumber":                              "Application number", // ST.66; in ST.96 it holds one of the next two
	"ApplicationNumber/ApplicationNumberText":        "Application number",
	"ApplicationNumber/ST13ApplicationNumber":        "ST.13 application number",
	"RegistrationNumber":                             "Registration number",
	"InternationalRegistrationNumber":                "International registration number",
	"ApplicationDate":                                "Application date",
	"RegistrationDate":                               "Registration date",
	"PublicationBag/Publication/PublicationDate":     "Publication date",
	"PublicationDetails/Publication/PublicationDate": "Publication date",
	"ExpiryDate":                                     "Expiry date",
	"TerminationDate":                                "Termination date",
	"MarkCurrentStatusCode":                          "Status",
	"MarkCurrentStatusDate":                          "Status date",
	"MarkCurrentStatusInternalDescriptionText":       "Status in words",
	"RegistrationOfficeCode":                         "Office",
	"MarkFeature":                                    "Kind of mark",
	"MarkFeatureCategory":                            "Kind of mark",
	"MarkRepresentation/MarkFeatureCategory":         "Kind of mark",
	"WordMarkSpecification/MarkVerbalElementText":    "Mark",
	"MarkReproduction/WordMarkSpecification/MarkSignificantVerbalElementText":                    "Mark",
	"MarkRepresentation/MarkReproduction/WordMarkSpecification/MarkVerbalElementText":            "Mark",
	"MarkRepresentation/MarkReproduction/WordMarkSpecification/MarkSignificantVerbalElementText": "Mark",
	"ApplicantDetails/Applicant/ApplicantReference":                                              "Applicant reference",
	"ApplicantFileReference":     "Our reference",
	"ApplicantFileReferenceText": "Our reference",
}

// nameOf is what the column of a path is called.
func nameOf(path string) string {
	if name, ok := names[path]; ok {
		return name
	}
	return strings.TrimSuffix(path, "/")
}

// isMark tells whether an element is a mark, isClass whether one is a class with its goods.
func isMark(local string) bool  { return local == "Trademark" || local == "TradeMark" }
func isClass(local string) bool { return local == "ClassDescription" }

// goodsColumn is the column of the classes and goods, goodsLanguage that of the language that all of them are in.
const (
	goodsColumn   = "Classes and goods"
	languageName  = "Language of goods"
	operationName = "Operation"
)

// Roots are the elements that a file may begin with, in small letters: what holds marks, or a mark.
var roots = []string{"transaction", "trademarktransaction", "trademarktransactionbody", "trademarkbag", "trademarks", "trademark"}

// emphases are the elements that mark a part of a text, in small letters.
var emphases = []string{"b", "i", "u", "o", "s", "sub", "sup", "smallcaps", "em", "strong", "span", "p", "br", "li"}

// apart tells whether such an element stands on a line of its own.
func apart(local string) bool {
	return slices.Contains([]string{"p", "br", "li"}, strings.ToLower(local))
}
