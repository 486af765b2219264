package base

// This file owns the progress of an import of an archive into an account (engine/archive_import.go): the one row that
// says it, and what the account cannot do meanwhile.

// Importing is the import of an archive into an account.
type Importing struct {
	Archive string // its hash: the same archive, sent again, continues where the import ended
	NewIDs  bool   `json:",omitempty"` // its records have other ids than in the archive
	Rows    int    // that it has in all
	Done    int    // those of them that are in place
	Since   int64
	Ended   int64 `json:",omitempty"` // 0: it is under way
}

var ImportKind = func() *Kind[Importing] {
	k := RowsOf(TagImport, "import of an archive", func(*Importing) ID { return ID{} })
	k.Resource = "" // the records that come of it tell of themselves
	return k
}()

// Imported is how far the import of an archive is; nil: there was none.
func (a *AccountState) Imported() *Importing { return TableOf[Importing](a, TagImport).Get(ID{}) }

// Importing says that an archive is only partly in place: requests for the account are refused, and time does not act
// on it.
func (a *AccountState) Importing() bool {
	i := a.Imported()
	return i != nil && i.Ended == 0
}

// Imported is the import that the account came of, or nil.
func (v View) Imported() *Importing { return v.Acc.Imported() }

// Ready refuses with CodeNotReady while an archive is being imported into the account.
func (v View) Ready() *Error {
	if i := v.Acc.Imported(); i != nil && i.Ended == 0 {
		return Refuse(CodeNotReady, "an archive is being imported into the account: %d of %d rows are in place", i.Done,
			i.Rows)
	}
	return nil
}
