package main

import (
	"fmt"
	"net/http"
	"strings"
)

// This file owns operations as methods, in a service for each of the document's tags.

// names are the operation's service and method: admin.orders.linkTags is Orders.LinkTags.
func (o operation) names() (service, method string) {
	parts := strings.Split("."+o.ID, ".")
	return exported(parts[len(parts)-2]), exported(parts[len(parts)-1])
}

// answer is what the operation gives, nil where that is nothing.
func (o operation) answer() *schema {
	body := o.Responses["200"]
	return body.json()
}

// has says that the operation takes a parameter.
func (o operation) has(in, name string) bool {
	for _, p := range o.Parameters {
		if p.In == in && p.Name == name {
			return true
		}
	}
	return false
}

// operations writes the client, its services and their methods.
func (d *document) operations() (string, error) {
	var b, services, binds strings.Builder
	written := map[string]bool{}
	for _, t := range d.Tags {
		service := exported(t.Name)
		fmt.Fprintf(&services, "%s\t%s %sService\n", comment("\t", t.Description), service, service)
		fmt.Fprintf(&binds, "\t\t%s: %sService{t},\n", service, service)
		b.WriteString(comment("", sentence(service+"Service", t.Description)))
		fmt.Fprintf(&b, "type %sService struct{ t *transport }\n\n", service)
		for _, path := range d.Paths {
			for _, m := range path.value {
				if of, _ := m.value.names(); of != service {
					continue
				}
				text, err := d.method(strings.ToUpper(m.name), path.name, m.value)
				if err != nil {
					return "", fmt.Errorf("%s: %w", m.value.ID, err)
				}
				b.WriteString(text)
				written[m.value.ID] = true
			}
		}
	}
	for _, path := range d.Paths {
		for _, m := range path.value {
			if !written[m.value.ID] {
				return "", fmt.Errorf("%s %s: the operation %q is of none of the tags", m.name, path.name, m.value.ID)
			}
		}
	}
	return header + fmt.Sprintf(frame, services.String(), binds.String()) + b.String(), nil
}

// frame is how the file begins: the client, with its services.
const frame = `import (
	"context"
	"iter"
	"net/url"
	"time"
)

// Client has the operations, by what they are about. New makes one; it may be used by many goroutines.
type Client struct {
%s}

// bound is a client whose operations go over a transport.
func bound(t *transport) *Client {
	return &Client{
%s	}
}

`

// method writes an operation: the struct of its query, the method, and for a list the method that goes through all
// pages.
func (d *document) method(verb, path string, o operation) (string, error) {
	service, method := o.names()
	takes, call := "ctx context.Context", fmt.Sprintf("method: %q, path: %q", verb, path)
	var values []string
	for _, p := range o.Parameters {
		if p.In == "path" {
			values = append(values, local(p.Name))
			takes += ", " + local(p.Name) + " string"
		}
	}
	if len(values) > 0 {
		call += ", values: []string{" + strings.Join(values, ", ") + "}"
	}
	request := o.RequestBody.json()
	query, err := d.query(verb, o, request)
	if err != nil {
		return "", err
	}
	if query != "" {
		takes += fmt.Sprintf(", query %s%sQuery", service, method)
		call += ", query: query.values()"
	}
	if request != nil && verb != http.MethodDelete {
		name, _, err := d.schema(request.Ref)
		if err != nil {
			return "", err
		}
		takes += ", body " + name
		call += ", body: body"
	}
	if o.has("header", "Idempotency-Key") {
		call += ", keyed: true"
	}
	about := sentence(method, o.Summary)
	if len(o.Scopes) > 0 {
		about += "\n\nThe key needs the scope " + strings.Join(o.Scopes, " or ") + "."
	}
	text := query + comment("", about)
	answer := o.answer()
	if answer == nil {
		return text + signature(service, method, takes, "error") +
			sending("_, err :=", "struct{}", call) + "\treturn err\n}\n\n", nil
	}
	to, s, err := d.schema(answer.Ref)
	if err != nil {
		return "", err
	}
	text += signature(service, method, takes, "(*"+to+", error)") + sending("return", to, call) + "}\n\n"
	if !strings.HasPrefix(method, "List") || !o.has("query", "page") {
		return text, nil
	}
	pages, err := d.pages(service, method, takes, values, s)
	return text + pages, err
}

// signature begins a method, on one line where it fits.
func signature(service, method, takes, gives string) string {
	begin := fmt.Sprintf("func (s *%sService) %s(", service, method)
	takes += ", options ...RequestOption"
	if line := begin + takes + ") " + gives + " {\n"; len(line) <= maxLine {
		return line
	}
	return begin + "\n\t" + takes + ",\n) " + gives + " {\n"
}

// sending is the line that sends the request, or the lines.
func sending(what, answer, call string) string {
	begin := "\t" + what + " do[" + answer + "](ctx, s.t, call{"
	if line := begin + call + "}, options)\n"; len(line) <= maxLine {
		return line
	}
	if len(call)+8 > maxLine {
		call = strings.Replace(call, ", values:", ",\n\t\tvalues:", 1)
	}
	return begin + "\n\t\t" + call + ",\n\t}, options)\n"
}

// pages writes the method that goes through all pages of a list.
func (d *document) pages(service, method, takes string, values []string, answer schema) (string, error) {
	var records, of string
	for _, p := range answer.Properties {
		if len(p.value.Type) != 1 || p.value.Type[0] != "array" {
			continue
		}
		if records != "" {
			return "", fmt.Errorf("a page with two lists is not known")
		}
		var err error
		if of, _, err = d.goType("", *p.value.Items); err != nil {
			return "", err
		}
		records = exported(p.name)
	}
	if records == "" {
		return "", fmt.Errorf("a page without a list is not known")
	}
	all := "All" + strings.TrimPrefix(method, "List")
	given := strings.Join(append(append([]string{"ctx"}, values...), "query", "options..."), ", ")
	says := all + " goes through the records of all pages of " + method +
		", from the query's page on. It ends at the " +
		"first error. A list that others change meanwhile may show a record twice or leave one out: AsOf reads all " +
		"pages of one snapshot."
	return comment("", says) + signature(service, all, takes, "iter.Seq2["+of+", error]") +
		fmt.Sprintf(paging, of, method, given, records), nil
}

// paging is the body of a method that goes through all pages.
const paging = `	return each(query.Page, options, func(page int64, options []RequestOption) ([]%s, error) {
		query := query
		query.Page = page
		answer, err := s.%s(%s)
		if err != nil {
			return nil, err
		}
		return answer.%s, nil
	})
}

`

// query writes the struct of an operation's query, nothing where it has none of its own. asOf is an option of every
// read. Input that may be in the query or in the body is in the body, except for DELETE, whose body some proxies drop.
func (d *document) query(verb string, o operation, request *schema) (string, error) {
	var in schema
	if request != nil {
		var err error
		if _, in, err = d.schema(request.Ref); err != nil {
			return "", err
		}
	}
	if verb == http.MethodDelete {
		for _, p := range in.Properties {
			if !o.has("query", p.name) {
				return "", fmt.Errorf("a DELETE that takes %s in its body alone is not known", p.name)
			}
		}
		in = schema{}
	}
	service, method := o.names()
	name := service + method + "Query"
	var fields, values, enums strings.Builder
	for _, p := range o.Parameters {
		if _, both := in.Properties.get(p.Name); p.In != "query" || p.Name == "asOf" || both {
			continue
		}
		field := exported(p.Name)
		text, form, err := d.goType(name+field, p.Schema)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.Name, err)
		}
		add := ""
		switch {
		case p.Style == "deepObject" && form == many:
			// Its names are numbers.
			text = "[]" + strings.TrimPrefix(text, "map[string]")
			add = "addObjects"
		case p.Style == "deepObject":
			text = "*" + text
			add = "addObject"
		case form == many:
			add = "addTexts"
		case text == "bool":
			text = "*bool" // to be left out is not to be false
			add = "addBoolean"
		case text == "int64" || text == "time.Time" || text == "float64":
			add = map[string]string{"int64": "addNumber", "time.Time": "addInstant"}[text]
		default:
			add = "addText"
		}
		if add == "" {
			return "", fmt.Errorf("%s: a query of %s is not known", p.Name, text)
		}
		says := p.Description
		if p.Required {
			says += " It has to be given."
		}
		fields.WriteString(comment("\t", says) + fmt.Sprintf("\t%s %s\n", field, text))
		fmt.Fprintf(&values, "\t%s(&to, %q, q.%s)\n", add, p.Name, field)
		of := p.Schema
		if form == many && of.Items != nil {
			of = *of.Items
		}
		if len(of.Enum) > 0 && strings.TrimLeft(text, "[]*") == name+field {
			enums.WriteString(enum(name+field, "is one of these; a newer server may have more.", of.Enum))
		}
	}
	if fields.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf("// %s is the query of %s.%s. What is left empty is not sent.\ntype %s struct {\n%s}\n\n%s"+
		"func (q *%s) values() query {\n\tto := query{values: url.Values{}}\n%s\treturn to\n}\n\n",
		name, service, method, name, fields.String(), enums.String(), name, values.String()), nil
}
