package api

import (
	"slices"
	"sync"
)

// This file owns what the interface offers: the list of all operations, and the server and the document that are made
// of it.

// operations lists what the interface offers: a resource is its file, and one line here.
var operations = slices.Concat(
	accountOperations,
	keyOperations,
	locationOperations,
	skuOperations,
	articleOperations,
	barOperations,
	quantityOperations,
	eventOperations,
	availabilityOperations,
	whatIfOperations,
	holdOperations,
	conflictOperations,
	tagOperations,
	attributeOperations,
	customerOperations,
	snapshotOperations,
	changeOperations,
	importOperations,
	serviceOperations,
	docsOperations,
	consoleOperations,
	pricingOperations,
	externalPricingOperations,
	catalogOperations,
	discountOperations,
	webhookOperations,
	webhookDeliveryOperations,
	orderOperations,
	orderLineOperations,
	orderStepOperations,
	orderDiscountOperations,
	quoteOperations,
	orderPaymentOperations,
	subscriptionOperations,
)

// document is the OpenAPI document of all operations.
var document = sync.OnceValue(func() []byte { return renderDocument(operations) })

// NewServer makes a server that listens nowhere yet.
func NewServer(o Options) *Server {
	return newServer(o, offer{operations, document, (*request).appendDetails})
}
