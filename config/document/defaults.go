package document

import "reflect"

// SetDefaults gives the fields of the struct that into points to what their default tags say, in the words of a file:
// `default:"30s"`. Blocks within it get theirs; Decode does the same for whatever it makes itself, the value of a pointer and the
// elements of lists and maps.
func SetDefaults(into any) { setDefaults(reflect.ValueOf(into).Elem()) }

func setDefaults(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for field, value := range v.Fields() {
		switch text, has := field.Tag.Lookup("default"); {
		case has:
			f, err := Parse(field.Name, []byte(text))
			if err == nil {
				err = f.value(f.root, value).Err()
			}
			if err != nil {
				panic(err) // a tag is the programmer's
			}
		case field.IsExported():
			setDefaults(value)
		}
	}
}

// made is a new value of a type, with its defaults.
func made(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	setDefaults(v)
	return v
}
