package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the tests of what is turned away while memory is short.

// goOn are the operations that are done however short memory is.
var goOn = []string{
	"ApplyDiscount", "AddPayment", "ArchiveArticle", "ArchiveCatalogItem", "ArchiveOrder", "AssignUnit", "CancelOrder",
	"CancelSubscription", "CancelUnit", "ChangeHold", "ConfirmHold",
	"ConfirmOrder", "DecreaseQuantity", "DeleteArticle", "DeleteAttribute", "DeleteCatalogItem", "DeleteCustomer",
	"DeleteDiscountCode",
	"DeleteExternalPricingRow", "DeleteLocation", "DeleteOrder", "DeleteOrderLine", "DeletePricingRow",
	"DeletePricingTable", "DeleteSKU",
	"DeleteScheduledEvent", "DeleteTag", "DeleteWebhook", "DisableWebhook", "EnableWebhook", "EraseCustomer",
	"ExtendHold", "FulfillOrder", "LinkTags", "MoveHold",
	"PatchAccount", "PatchArticle", "PatchAttribute", "PatchCatalogItem", "PatchCustomer", "PatchDiscountCode",
	"PatchExternalPricingRow",
	"PatchLocation", "PatchOrder", "PatchOrderLine", "PatchPricingRow", "PatchPricingTable", "PatchSKU",
	"PatchScheduledEvent", "PatchTag", "PatchWebhook",
	"PrepareOrder", "ReadyUnit", "RecordAttempts", "ReleaseHold", "RemoveDiscount", "ReturnOrder", "RevokeKey",
	"RotateSecret", "SetPlan", "TransferQuantity",
	"UnassignUnit", "UndoOrder", "UnlinkTags", "UpgradeWebhook",
	// the engine's own
	"blankTraces", "faulty", "forget", "ForgetDeliveries", "PostponeConflicts", "runDue", "SeatConflicts", "nudge",
}

// Every operation either adds or goes on: whoever makes another has to say which.
func TestEveryOperationAddsOrGoesOn(t *testing.T) {
	var planned, adding []string
	own, err := filepath.Glob("*.go")
	require.NoError(t, err)
	domains, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	for _, name := range slices.Concat(own, domains) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if embeds(n, "Adds") {
					adding = append(adding, n.Name.Name)
				}
				if _, is := n.Type.(*ast.IndexListExpr); is && n.Assign.IsValid() {
					planned = append(planned, n.Name.Name) // it has the plan of base.Delete
				}
			case *ast.FuncDecl:
				if n.Name.Name == "PlanOn" && n.Recv != nil && len(n.Type.Params.List) == 1 {
					if of, ok := n.Recv.List[0].Type.(*ast.Ident); ok {
						planned = append(planned, of.Name)
					}
				}
			}
			return true
		})
	}
	both := slices.Concat(adding, goOn)
	slices.Sort(both)
	slices.Sort(planned)
	require.Equal(t, planned, both)
}

// embeds says that a struct embeds a type of this name, of this package or another.
func embeds(t *ast.TypeSpec, name string) bool {
	of, ok := t.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(of.Fields.List, func(f *ast.Field) bool {
		switch x := f.Type.(type) {
		case *ast.Ident:
			return len(f.Names) == 0 && x.Name == name
		case *ast.SelectorExpr:
			return len(f.Names) == 0 && x.Sel.Name == name
		}
		return false
	})
}

func TestNothingIsAddedWhileMemoryIsShort(t *testing.T) {
	short := false
	s := newShop(t)
	s.full = func() bool { return short }
	s.reopen()
	create := order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}}
	o := s.do(create).(*order.OrderRecord)
	comment := order.AddComment{Order: o.ID, Content: "A deposit was paid."}
	s.do(comment)

	short = true
	s.refused(base.CodeOverloaded, comment)
	s.refused(base.CodeOverloaded, create)
	s.refused(base.CodeOverloaded, &comment) // as the interface submits them
	s.refused(base.CodeOverloaded, &create)
	s.do(order.CancelOrder{ID: o.ID})

	short = false
	s.do(create)
}
