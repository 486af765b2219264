package engine

import "slices"

// This file owns filters of articles: one condition each, on a field or on an attribute, as it is given and read.

// maxFilterValues is the most operands that the filters of a list have together.
const maxFilterValues = maxOperands

// Filter is one condition on a field or on an attribute.
type Filter struct {
	Field     ArticleField // empty: Attribute and Format are given
	Attribute ID
	Format    AttributeFormat
	Operator  Operator
	Values    []Value // texts, numbers, true or false
	Written   bool    // the values are texts whatever they mean, as in a query string
}

// read checks the parts of a filter that do not need the account, and reads its operands.
func (f *Filter) read(c *checker, at string) (format AttributeFormat, operands []operand) {
	format = f.Format
	switch {
	case f.Field != "" && (f.Attribute != ID{} || f.Format != ""):
		c.fault(at+"/field", "exclusive", "a filter has either field, or attributeId and format")
		return "", nil
	case f.Field != "":
		format = f.Field.format()
	case f.Attribute == ID{}:
		c.fault(at+"/field", "required", "is missing: a filter has either field, or attributeId and format")
		return "", nil
	case f.Format == "":
		c.fault(at+"/format", "required", "is missing beside attributeId")
		return "", nil
	}
	if fit := operatorsOf[format]; f.Operator != "" && !slices.Contains(fit, f.Operator) {
		words := make([]string, len(fit))
		for i, o := range fit {
			words[i] = string(o)
		}
		of := "a value of the format " + string(format)
		if f.Field != "" {
			of = "the field " + string(f.Field)
		}
		c.fault(at+"/operator", "enum", "does not fit "+of+"; those that do are "+join(words))
		return format, nil
	}
	for i, v := range f.Values {
		pointer := at + "/value"
		if len(f.Values) > 1 && !f.Written {
			pointer += "/" + itoa(i)
		}
		if x := readOperand(c, pointer, format, v, f.Written); format == formatWord {
			if words := f.Field.words(); !slices.Contains(words, x.text) {
				c.fault(pointer, "enum", "must be one of "+join(words))
			}
			operands = append(operands, x)
		} else {
			operands = append(operands, x)
		}
	}
	if f.Operator == "" {
		return format, nil
	}
	least, most := f.Operator.operands()
	switch n := len(f.Values); {
	case n < least && n == 0:
		c.fault(at+"/value", "required", "is missing: "+string(f.Operator)+" takes "+operandWords(least, most))
	case n < least || n > most:
		c.fault(at+"/value", "length", string(f.Operator)+" takes "+operandWords(least, most))
	case least == 2 && operands[1].number < operands[0].number:
		c.fault(at+"/value", "order", "the second value must not be less than the first")
	}
	return format, operands
}

func operandWords(least, most int) string {
	switch {
	case most == 0:
		return "no value"
	case least == most:
		return itoa(least) + " values"
	}
	return itoa(least) + " to " + itoa(most) + " values"
}
