package engine

import "slices"

// This file owns comments on orders.

// AuthorUser and AuthorSystem say who wrote a comment.
const (
	AuthorUser   = "user"
	AuthorSystem = "system"
)

// AddComment adds a comment to an order. It answers with the *OrderRecord.
type AddComment struct {
	Order   ID
	Content string
	Author  *UserRef // nil: the system's
	Parent  *ID
}

func (o AddComment) Check() []Fault {
	var c checker
	c.text("/content", o.Content, 1, maxNote)
	c.user("/author", o.Author)
	return c.faults
}

func (o AddComment) plan(t *tx) (any, error) {
	n, err := t.edit(o.Order)
	if err != nil {
		return nil, err
	}
	m := own(&n.More)
	x := OrderComment{ID: t.newID(), UpdatedAt: t.now, AuthorType: AuthorSystem, Content: o.Content, Author: o.Author}
	if o.Author != nil {
		x.AuthorType = AuthorUser
	}
	if o.Parent != nil {
		if !slices.ContainsFunc(m.Comments, func(c OrderComment) bool { return c.ID == *o.Parent }) {
			return nil, notFound("comment on this order")
		}
		x.Parent = *o.Parent
	}
	if len(m.Comments) == maxComments {
		return nil, refuse(CodeConflict, "an order has at most %d comments", maxComments)
	}
	m.Comments = append(slices.Clip(m.Comments), x)
	return t.answer(n), nil
}

func (AddComment) result() any { return new(OrderRecord) }
