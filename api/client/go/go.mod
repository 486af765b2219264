module holdfast/api/client/go

go 1.26.0
