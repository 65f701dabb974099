package officexml

import (
	"slices"
	"strings"
)

// names are the familiar names of elements, by the end of their path in a mark. The longest match counts.
var names = map[string]string{
	"ApplicationNumber":                              "Application number", // ST.66; in ST.96 it contains one of the next two
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

// nameOf returns the name of the column for a path.
func nameOf(path string) string {
	if name, ok := names[path]; ok {
		return name
	}
	return strings.TrimSuffix(path, "/")
}

// isMark reports whether an element is a mark, isClass whether one is a class with its goods.
func isMark(local string) bool  { return local == "Trademark" || local == "TradeMark" }
func isClass(local string) bool { return local == "ClassDescription" }

// goodsColumn is the column of the classes and goods; languageName is the column of their language, if all have the
// same.
const (
	goodsColumn   = "Classes and goods"
	languageName  = "Language of goods"
	operationName = "Operation"
)

// roots are the elements that a file may begin with, in lower case: a container of marks, or a mark.
var roots = []string{"transaction", "trademarktransaction", "trademarktransactionbody", "trademarkbag", "trademarks", "trademark"}

// emphases are the elements that mark a part of a text, in lower case.
var emphases = []string{"b", "i", "u", "o", "s", "sub", "sup", "smallcaps", "em", "strong", "span", "p", "br", "li"}

// apart reports whether such an element is on a line of its own.
func apart(local string) bool {
	return slices.Contains([]string{"p", "br", "li"}, strings.ToLower(local))
}
