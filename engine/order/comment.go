package order

import (
	"slices"

	"holdfast/engine/base"
)

// This file owns comments on orders.

// AuthorUser and AuthorSystem are the kinds of authors of a comment.
const (
	AuthorUser   = "user"
	AuthorSystem = "system"
)

// AddComment adds a comment to an order.
type AddComment struct {
	base.Answers[*OrderRecord]
	base.Adds
	Order   base.ID
	Content string   `field:"content text 1..10000 required" made:"The comment's text." example:"Brings the bikes back in the evening"`
	Author  *UserRef `field:"author object UserReferenceInput" made:"Without one it is the system's."`
	Parent  *base.ID `field:"parentCommentId id" made:"The comment that this one answers." example:"null"`
}

func (o AddComment) Check(c *base.Checker) { base.CheckFields(c, "", &o) }

func (o AddComment) PlanOn(t *base.Tx) (any, error) {
	n, err := Edit(t, o.Order)
	if err != nil {
		return nil, err
	}
	m := Own(&n.More)
	x := OrderComment{ID: t.NewID(), UpdatedAt: t.Now, AuthorType: AuthorSystem, Content: o.Content, Author: o.Author}
	if o.Author != nil {
		x.AuthorType = AuthorUser
	}
	if o.Parent != nil {
		if !slices.ContainsFunc(m.Comments, func(c OrderComment) bool { return c.ID == *o.Parent }) {
			return nil, base.NotFound("comment on this order")
		}
		x.Parent = *o.Parent
	}
	if len(m.Comments) == maxComments {
		return nil, base.Refuse(base.CodeConflict, "an order has at most %d comments", maxComments)
	}
	m.Comments = append(slices.Clip(m.Comments), x)
	return answer(t, n), nil
}
