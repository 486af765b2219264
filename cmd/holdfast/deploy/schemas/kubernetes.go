package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	_ "github.com/compose-spec/compose-go/v2/schema" // both keep their versions in go.mod
	_ "k8s.io/api/apps/v1"
)

// This file owns the schema of the Kubernetes kinds. It is strict where the API's own is not: a member that no type has
// is refused, as is what only a cluster writes.

const (
	coreV1 = "k8s.io/api/core/v1"
	appsV1 = "k8s.io/api/apps/v1"
)

// kinds are those that kubernetes.yaml has.
var kinds = []struct{ of, name, version string }{
	{coreV1, "Service", "v1"},
	{appsV1, "StatefulSet", "apps/v1"},
}

// written are the members that a cluster writes, by type; of the kinds it is the status.
var written = map[string][]string{
	"meta.v1.ObjectMeta": {"selfLink", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
		"deletionGracePeriodSeconds", "ownerReferences", "managedFields"},
	"core.v1.Service":               {"status"},
	"core.v1.PersistentVolumeClaim": {"status"},
	"apps.v1.StatefulSet":           {"status"},
}

// needed are the members that the API needs and that its types do not tell, by type.
var needed = map[string][]string{
	"core.v1.Service":               {"apiVersion", "kind", "metadata", "spec"},
	"core.v1.Container":             {"image"},
	"core.v1.PersistentVolumeClaim": {"metadata", "spec"},
	"apps.v1.StatefulSet":           {"apiVersion", "kind", "metadata", "spec"},
}

// special are the types that are written otherwise than they are declared.
var special = map[string]schema{
	"api.resource.Quantity": {
		"type":    []string{"string", "number"},
		"pattern": `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`,
	},
	"util.intstr.IntOrString": {"type": []string{"string", "integer"}},
}

type schema map[string]any

// maker makes the schema of each type once.
type maker struct {
	markers map[token.Pos]string // the comment of a type or of a field, by the place of its name
	defs    map[string]any
}

func kubernetes(loaded []*packages.Package, from *packages.Module) schema {
	m := maker{map[token.Pos]string{}, map[string]any{}}
	scopes := map[string]*types.Scope{}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if strings.HasPrefix(p.PkgPath, "k8s.io/") {
			scopes[p.PkgPath] = p.Types.Scope()
			m.comments(p)
		}
	})
	names := []string{}
	cases := []schema{}
	for _, k := range kinds {
		ref := m.of(scopes[k.of].Lookup(k.name).Type())
		members := m.defs[shortName(scopes[k.of].Lookup(k.name))].(schema)["properties"].(schema)
		members["apiVersion"], members["kind"] = schema{"const": k.version}, schema{"const": k.name}
		names = append(names, k.name)
		cases = append(cases, schema{"if": schema{"properties": schema{"kind": schema{"const": k.name}}}, "then": ref})
	}
	return schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$comment": fmt.Sprintf("Made by `make schemas` of the types of %s %s, whose licence lies beside this file: "+
			"what a manifest of these kinds can hold, without descriptions and without what a cluster writes.",
			from.Path, from.Version),
		"type":     "object",
		"required": []string{"apiVersion", "kind"},
		// What is applied has a name; a pod gets one from its set.
		"properties": schema{"kind": schema{"enum": names}, "metadata": schema{"required": []string{"name"}}},
		"allOf":      cases,
		"$defs":      m.defs,
	}
}

// comments notes what stands above the types and the fields of a package.
func (m *maker) comments(p *packages.Package) {
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				t := s.(*ast.TypeSpec)
				m.markers[t.Name.Pos()] = g.Doc.Text() + t.Doc.Text()
				if st, ok := t.Type.(*ast.StructType); ok {
					for _, field := range st.Fields.List {
						for _, name := range field.Names {
							m.markers[name.Pos()] = field.Doc.Text()
						}
					}
				}
			}
		}
	}
}

// shortName is core.v1.Service for k8s.io/api/core/v1.Service.
func shortName(o types.Object) string {
	of := strings.Split(o.Pkg().Path(), "/")
	return strings.Join(append(of[len(of)-2:], o.Name()), ".")
}

// of is the schema of a type: a reference, if it has a name.
func (m *maker) of(t types.Type) schema {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return m.of(t.Elem())
	case *types.Named:
		return m.named(t)
	case *types.Map:
		return schema{"type": "object", "additionalProperties": m.of(t.Elem())}
	case *types.Slice:
		if b, ok := t.Elem().(*types.Basic); ok && b.Kind() == types.Byte {
			return schema{"type": "string"} // base64
		}
		return schema{"type": "array", "items": m.of(t.Elem())}
	case *types.Basic:
		switch {
		case t.Info()&types.IsBoolean != 0:
			return schema{"type": "boolean"}
		case t.Kind() == types.Int32:
			return schema{"type": "integer", "minimum": -1 << 31, "maximum": 1<<31 - 1}
		case t.Info()&types.IsInteger != 0:
			return schema{"type": "integer"}
		case t.Info()&types.IsString != 0:
			return schema{"type": "string"}
		}
	}
	panic(fmt.Sprintf("no schema for %s", t))
}

func (m *maker) named(t *types.Named) schema {
	name := shortName(t.Obj())
	if s, ok := special[name]; ok {
		return s
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		s := m.of(t.Underlying())
		if strings.Contains(m.markers[t.Obj().Pos()], "+enum\n") {
			s = schema{"enum": values(t)}
		}
		return s
	}
	if _, ok := m.defs[name]; !ok {
		m.defs[name] = nil // a type can hold itself
		members, required := schema{}, append([]string{}, needed[name]...)
		m.members(st, written[name], members, &required)
		slices.Sort(required)
		s := schema{"type": "object", "additionalProperties": false, "properties": members}
		if required = slices.Compact(required); len(required) > 0 {
			s["required"] = required
		}
		m.defs[name] = s
	}
	return schema{"$ref": "#/$defs/" + name}
}

// optional are the marks of a member that may be left out.
var optional = regexp.MustCompile(`(?m)^\+(k8s:)?optional$`)

// members are those of a struct, and of what is embedded in it.
func (m *maker) members(st *types.Struct, without []string, into schema, required *[]string) {
	for i := range st.NumFields() {
		field := st.Field(i)
		name, options, _ := strings.Cut(reflect.StructTag(st.Tag(i)).Get("json"), ",")
		switch {
		case name == "-" || slices.Contains(without, name) && name != "":
		case name == "" && field.Embedded():
			m.members(types.Unalias(field.Type()).Underlying().(*types.Struct), without, into, required)
		case name == "":
			panic(fmt.Sprintf("%s has no name", field))
		default:
			into[name] = m.of(field.Type())
			if !strings.Contains(options, "omit") && !optional.MatchString(m.markers[field.Pos()]) {
				*required = append(*required, name)
			}
		}
	}
}

// values are those that an enumeration's constants have.
func values(t *types.Named) (all []string) {
	scope := t.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), t) {
			all = append(all, constant.StringVal(c.Val()))
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		panic(t.String() + " has no values")
	}
	return all
}
