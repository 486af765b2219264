package engine

// This file owns how far the import of an archive into an account is (archive.go): the one row that says it, and what it keeps an account
// from meanwhile.

// Importing is the import of an archive into an account.
type Importing struct {
	Archive string // its hash: the same archive again goes on where the import ended
	NewIDs  bool   `json:",omitempty"` // its records have other ids than in the archive
	Rows    int    // that it has in all
	Done    int    // those of them that are in place
	Since   int64
	Ended   int64 `json:",omitempty"` // 0: it is under way
}

var importKind = func() *kind[Importing] {
	k := rowsOf(tagImport, "import of an archive", func(*Importing) ID { return ID{} })
	k.resource = "" // the records that come of it tell of themselves
	return k
}()

func (a *account) imported() *Importing { return tableOf[Importing](a, tagImport).Get(ID{}) }

// importing says that an archive is half in place: the account is answered for to nobody, and time does not act on it.
func (a *account) importing() bool {
	i := a.imported()
	return i != nil && i.Ended == 0
}

// Imported is the import that the account came of, or nil.
func (v View) Imported() *Importing { return v.acc.imported() }

// Ready refuses with CodeNotReady while an archive is being imported into the account.
func (v View) Ready() *Error {
	if i := v.acc.imported(); i != nil && i.Ended == 0 {
		return refuse(CodeNotReady, "an archive is being imported into the account: %d of %d rows are in place", i.Done, i.Rows)
	}
	return nil
}
