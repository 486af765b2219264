package workload

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/fuzz/model"
)

// This file owns random kits: catalog items of few parts, often of a SKU and one of its own articles.

// maxKits bounds the kits of an account: few, so that each is met often.
const maxKits = 4

func components(d Dice, a *model.Account) (list []commerce.Component) {
	for range 1 + d.N("more parts", 3) {
		list = append(list, commerce.Component{Item: known(d, a), Quantity: 1 + d.N("quantity", 5)/4})
	}
	return list
}

func createKit(d Dice, a *model.Account) commerce.CreateCatalogItem {
	return commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "kit", Components: components(d, a)}}
}

// otherParts makes a kit take something else.
func otherParts(d Dice, a *model.Account, kit ID) commerce.PatchCatalogItem {
	return commerce.PatchCatalogItem{ID: kit,
		Fields: base.Changed(commerce.CatalogFields{Components: components(d, a)})}
}

// kitCommand draws a command on catalog items.
func kitCommand(d Dice, a *model.Account) base.Op {
	if len(a.Kits) == 0 || len(a.Kits) < maxKits && odds(d, "another kit", 40) {
		return createKit(d, a)
	}
	k := pick(d, "kit", a.Kits)
	switch d.N("kit command", 4) {
	case 0:
		return commerce.DeleteCatalogItem{ID: k.ID}
	case 1:
		status := commerce.CatalogActive
		if k.Takes && odds(d, "inactive", 50) {
			status = commerce.CatalogInactive
		}
		return commerce.PatchCatalogItem{ID: k.ID, Fields: base.Changed(commerce.CatalogFields{Status: status})}
	}
	return otherParts(d, a, k.ID)
}

// asked names an item that is there, sometimes a kit.
func asked(d Dice, a *model.Account) base.Item {
	if len(a.Kits) > 0 && odds(d, "a kit", 25) {
		return base.Item{CatalogItem: pick(d, "kit", a.Kits).ID}
	}
	return known(d, a)
}
