package api

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file holds what an article's record says beside its stock.

// An amount beyond what JSON numbers hold exactly is the nearest that they do.
func TestProfitabilityIsExact(t *testing.T) {
	s := newShop(t)
	r := s.ok("POST", "/v1/admin/articles",
		`{"name":"one","itemCosts":9007199254740991,"purchasePrice":9007199254740991}`)
	require.EqualValues(t, -9007199254740991, r["profitability"])
}

func TestArticleDetails(t *testing.T) {
	s := newShop(t)
	sku := s.ok("POST", "/v1/admin/skus",
		`{"name":"Bike","purchasePrice":100,"description":"of the SKU"}`)["id"].(string)
	r := s.ok("POST", "/v1/admin/articles", fmt.Sprintf(`{"name":"one","skuId":%q,"codes":["a","b"],"condition":"good","itemCosts":30,
		"taxonomyCategoryId":"c1","taxonomyCategory":{"id":"c1","name":"Bikes","level":2,"isLeaf":false},"parentId":"p","path":"/a/b",
		"fulfillmentFields":[{"key":"size","value":["L"],"format":"multiselect","origin":"sku","smartFieldMeta":null},{"key":"n","value":1.5},{"key":"none"}],
		"media":[{"media":{"fileUrl":"https://example.com/1.jpg","mimeType":"image/jpeg","size":5}},{"media":{"fileUrl":"https://example.com/2.jpg"}}],
		"documents":[{"document":{"fileUrl":"https://example.com/d.pdf"},"comment":"manual"}]}`, sku))
	path := "/v1/admin/articles/" + r["id"].(string)
	require.Equal(t, r, s.ok("GET", path, ""))
	get := func(names ...string) (list []any) {
		for _, n := range names {
			list = append(list, r[n])
		}
		return list
	}
	require.Equal(t, []any{30.0, 0.0, 100.0, -130.0, "sku", "sku", "of the SKU", "good"},
		get("itemCosts", "itemIncome", "purchasePrice", "profitability", "purchasePriceOrigin", "descriptionOrigin",
			"description", "condition"))
	require.Equal(t, []any{"c1", "p", "/a/b", []any{"a", "b"}}, get("taxonomyCategoryId", "parentId", "path", "codes"))
	require.Equal(t, map[string]any{"id": "c1", "name": "Bikes", "fullName": nil, "level": 2.0, "parentId": nil,
		"isLeaf": false}, r["taxonomyCategory"])
	require.Equal(t, map[string]any{"totalCount": 1.0, "lastCreated": when(noon), "lastUpdated": when(noon)},
		r["aggregateData"])
	require.Equal(t, []any{
		map[string]any{"id": nil, "name": nil, "key": "size", "value": []any{"L"}, "format": "multiselect",
			"groupId": nil, "groupName": nil, "systemGroup": nil, "origin": "sku", "smartFieldMeta": nil},
		map[string]any{"id": nil, "name": nil, "key": "n", "value": 1.5, "format": nil, "groupId": nil,
			"groupName": nil, "systemGroup": nil, "origin": nil, "smartFieldMeta": nil},
		map[string]any{"id": nil, "name": nil, "key": "none", "value": nil, "format": nil, "groupId": nil,
			"groupName": nil, "systemGroup": nil, "origin": nil, "smartFieldMeta": nil},
	}, r["fulfillmentFields"])
	one := at(r, "media", 0, "fileId")
	require.Equal(t, map[string]any{"fileId": one, "articleId": r["id"], "orderIndex": 0.0, "media": map[string]any{
		"id": one, "tenantId": s.account.String(), "fileUrl": "https://example.com/1.jpg", "mimeType": "image/jpeg",
		"originalName": nil, "folderPath": nil, "size": 5.0,
		"createdAt": when(noon), "updatedAt": when(noon), "deletedAt": nil, "updatedById": nil, "createdById": nil,
	}}, at(r, "media", 0))
	require.Equal(t, "manual", at(r, "documents", 0, "comment"))
	require.Equal(t, 1.0, at(r, "media", 1, "orderIndex"))

	// What was read can be given back; fulfillment fields word for word.
	fields, err := json.Marshal(r["fulfillmentFields"])
	require.NoError(t, err)
	require.Equal(t, r["fulfillmentFields"],
		s.ok("PATCH", path, `{"fulfillmentFields":`+string(fields)+`}`)["fulfillmentFields"])

	s.clock.Add(1000)
	two := at(r, "media", 1, "fileId")
	p := s.ok("PATCH", path, fmt.Sprintf(`{"itemCosts":null,"purchasePrice":5,"description":"own","taxonomyCategory":null,"path":null,
		"media":[{"fileId":%q},{"media":{"fileUrl":"https://example.com/3.jpg"}}],"documents":null}`, two))
	require.Equal(t, []any{nil, -5.0, "article", "article", nil, nil, "c1", []any{}},
		[]any{p["itemCosts"], p["profitability"], p["purchasePriceOrigin"], p["descriptionOrigin"],
			p["taxonomyCategory"], p["path"], p["taxonomyCategoryId"], p["documents"]})
	require.Equal(t, at(r, "media", 1, "media"), at(p, "media", 0, "media"))
	require.Equal(t, when(noon+1000), at(p, "media", 1, "media", "createdAt"))
	require.Equal(t, when(noon+1000), at(p, "aggregateData", "lastUpdated"))

	s.refused(400, base.CodeInvalid, "PATCH", path, fmt.Sprintf(`{"itemCosts":1.5,"taxonomyCategory":{"level":-1},"parentId":5,"path":"",
		"fulfillmentFields":[{"value":{"x":1},"format":"color","smartFieldMeta":{}}],"media":[{"fileId":"x"},{"fileId":%q},{}],"documents":[{"document":{"fileUrl":"x","size":-1},"orderIndex":0}]}`, one),
		"body /itemCosts type", "body /taxonomyCategory/level range", "body /taxonomyCategory/id required",
		"body /parentId type", "body /path length",
		"body /fulfillmentFields/0/value type", "body /fulfillmentFields/0/format enum",
		"body /fulfillmentFields/0/smartFieldMeta type", "body /fulfillmentFields/0/key required",
		"body /media/0/fileId format", "body /documents/0/document/size range", "body /documents/0/orderIndex unknown",
		"body /media/2/media required", "body /documents/0/document/fileUrl format", "body /media/1/fileId unknown")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/articles",
		fmt.Sprintf(`{"name":"x","media":[{"fileId":%q}]}`, two), "body /media/0/fileId unknown")
	other := s.ok("POST", "/v1/admin/articles", `{"name":"x","itemCosts":7}`)
	require.Nil(t, other["aggregateData"])

	// Lists order and choose by the same figures: -5 of the one, -7 of the other.
	listed := func(query string) (ids []any) {
		for _, x := range s.ok("GET", "/v1/admin/articles?"+query, "")["articles"].([]any) {
			ids = append(ids, x.(map[string]any)["id"])
		}
		return ids
	}
	require.Equal(t, []any{other["id"], r["id"]}, listed("sort=profitability"))
	require.Equal(t, []any{r["id"], other["id"]}, listed("sort=profitability&direction=desc"))
	require.Equal(t, []any{other["id"], r["id"]}, listed("sort=itemCosts&direction=desc"), "what has none comes last")
	require.Equal(t, []any{r["id"], other["id"]}, listed("sort=itemIncome&direction=desc"))
	require.Equal(t, []any{other["id"]},
		listed("filters[0][field]=profitability&filters[0][operator]=lt&filters[0][value]=-5"))
	require.Equal(t, []any{r["id"]}, listed("filters[0][field]=itemCosts&filters[0][operator]=isEmpty"))

	// What it brings in is what orders say, and lists know of it.
	location := s.ok("POST", "/v1/admin/locations", `{"name":"Lisbon","timezone":"Europe/Lisbon"}`)["id"].(string)
	s.ok("POST", path+"/increase-quantity", fmt.Sprintf(`{"serviceLocationId":%q,"amount":1}`, location))
	line := fmt.Sprintf(`"articleId":%q,"purchaseType":"sale","unitPrice":50,"taxRate":1000,"revenueSplitRate":0.5`,
		r["id"])
	o := s.ok("POST", ordersPath,
		fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"lineItems":[{%s}]}`, location, line))
	p = s.ok("GET", path, "")
	require.Equal(t, []any{28.0, 23.0}, []any{p["itemIncome"], p["profitability"]},
		"half of 55, rounded half up, less the price of 5")
	require.Equal(t, []any{r["id"], other["id"]}, listed("sort=itemIncome&direction=desc"))
	require.Equal(t, []any{other["id"], r["id"]}, listed("sort=itemIncome"))
	require.Equal(t, []any{r["id"]},
		listed("filters[0][field]=itemIncome&filters[0][operator]=gte&filters[0][value]=28"))
	require.Equal(t, []any{r["id"]},
		listed("filters[0][field]=profitability&filters[0][operator]=eq&filters[0][value]=23"))
	s.ok("POST", ordersPath+"/"+o["id"].(string)+"/cancel", "")
	require.Equal(t, 0.0, s.ok("GET", path, "")["itemIncome"])
}
