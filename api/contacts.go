package api

import (
	"holdfast/api/wire"
	"holdfast/engine/commerce"
)

// This file owns contacts on the wire: who a customer is and how to reach them.

// contact writes the members of a contact, by the name that it has or that is made of its parts.
func (w *scribe) contact(c *commerce.Contact) { w.contactNamed(c, c.Name()) }

func (w *scribe) contactNamed(c *commerce.Contact, fullName string) {
	if c.FullName == nil && fullName != "" {
		n := *c
		n.FullName = &fullName
		c = &n
	}
	wire.WriteFields(&w.Writer, c)
}
