package sandbox

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// componentValue is an element of components of update case (interface.md part 4.2), as stored.
type componentValue struct {
	Component string  `json:"file_template_component_id"`
	Entity    *string `json:"entity_id,omitempty"`
	Value     *string `json:"value,omitempty"`
	at        string
}

// componentFaults checks values against the components of a template. A template that was accepted only because of
// AnyReference has no components to check against.
func (x *index) componentFaults(template string, values []componentValue) []Reason {
	known := find[Template](x, aTemplate, template)
	if known == nil {
		if x.any {
			return nil
		}
		known = &Template{ID: template}
	}
	var r reasons
	seen := map[string]int{}
	for _, v := range values {
		n := slices.IndexFunc(known.Components, func(c Component) bool { return c.ID == v.Component })
		if n < 0 {
			r.add(v.at+".file_template_component_id", "%s is not a component of the case's template %s (%s)", v.Component, quoted(known.Name), template)
			continue
		}
		c := &known.Components[n]
		seen[c.ID]++
		if seen[c.ID] == 2 && !c.MultipleValues {
			r.add(v.at, "the component %s takes one value and is given a second", quoted(c.Name))
		}
		x.componentFault(&r, c, v)
	}
	for _, c := range known.Components {
		if c.Required && seen[c.ID] == 0 {
			r.add("components", "the component %s (%s) of the template is required and missing", quoted(c.Name), c.ID)
		}
	}
	return r.list
}

// entities are the kinds of record that a component may be linked to. interface.md names some and says "and so on", so
// a word in neither list stands for a kind of record that the sandbox does not keep.
var entities = map[string]kind{
	"user": aUser, "company": aCompany, "agent": anAgent, "registry": aRegistry, "search": aSearchClass, "search_class": aSearchClass,
	"registration_type": aRegistrationType, "trademark_type": aTrademarkType, "language": aLanguage, "tag": aTag,
	"status": aStatus, "template": aTemplate, "trademark": aTrademark,
}

// plainTypes are the words for plain values, each with a check of its values.
var plainTypes = map[string]func(text string) bool{
	"": nil, "string": nil, "text": nil, "date-time": isDate, "datetime": isDate, "date": isDate, "number": isNumber, "decimal": isNumber,
	"integer": func(text string) bool { return isNumber(text) && isInteger(text) },
	"boolean": func(text string) bool { return text == "true" || text == "false" },
	"entity":  isJSON, "json": isJSON,
}

func (x *index) componentFault(r *reasons, c *Component, v componentValue) {
	entity := strings.ToLower(c.EntityType)
	_, plain := plainTypes[entity]
	switch {
	case plain && v.Entity != nil:
		r.add(v.at+".entity_id", "the component %s is not bound to an entity; send value", quoted(c.Name))
	case plain && v.Value != nil:
		valueType := strings.ToLower(cmp.Or(c.EntityType, c.ValueType))
		if is := plainTypes[valueType]; is != nil && !is(*v.Value) {
			r.add(v.at+".value", "%s is not a value of type %s, which the component %s holds", quoted(*v.Value), valueType, quoted(c.Name))
		}
	case plain:
		if c.Required {
			r.add(v.at+".value", "is required: the component %s holds a value", quoted(c.Name))
		}
	case v.Value != nil:
		r.add(v.at+".value", "the component %s is bound to a %s; send entity_id", quoted(c.Name), c.EntityType)
	case v.Entity == nil:
		if c.Required {
			r.add(v.at+".entity_id", "is required: the component %s is bound to a %s", quoted(c.Name), c.EntityType)
		}
	default:
		if k, kept := entities[entity]; kept {
			if trouble := x.fault(k, *v.Entity); trouble != "" {
				r.add(v.at+".entity_id", "%s", trouble)
			}
		}
	}
}

func isJSON(text string) bool { return json.Valid([]byte(text)) }

// isNumber reports whether text is a JSON number.
func isNumber(text string) bool {
	v, err := parseTree([]byte(text))
	return err == nil && v.form == aNumber && v.text == text
}
