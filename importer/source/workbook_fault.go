package source

import (
	"archive/zip"
	"context"
	"errors"
	"io"
)

// workbookFault turns a fault of a workbook's parts into an Error that says what to do. Of errors that already do, and of
// cancellations, it takes the wrapping off.
func workbookFault(err error) error {
	var known *Error
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.As(err, &known):
		return known
	}
	fault := &Error{What: "the workbook is damaged: " + err.Error(), Hint: hintRepair, Err: err}
	var row *rowError
	if errors.As(err, &row) {
		fault.Row = row.row
	}
	var large errTooLarge
	var bomb errBomb
	switch {
	case errors.As(err, &large), errors.As(err, &bomb), errors.Is(err, errManyParts), errors.Is(err, errDoctype),
		errors.Is(err, errLongToken), errors.Is(err, errManyElements), errors.Is(err, errDeepXML),
		errors.Is(err, errManySheets), errors.Is(err, errXLSOrder), errors.Is(err, errXLSMerges):
		fault.What, fault.Hint = "the workbook is refused, as reading it could do harm: "+err.Error(), hintHostile
	case errors.Is(err, errPartEncrypted):
		fault.What, fault.Hint = "the file is a zip archive with a password", "Unpack it and read the workbook in it."
	case errors.Is(err, errPartMethod):
		fault.What, fault.Hint = err.Error(), "Open the file in a spreadsheet program and save it again as .xlsx."
	case errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF):
		fault.What = "the workbook is damaged or was cut off: its archive cannot be read"
		fault.Hint = "Copy or download the file again, and compare its size; if that does not help: " + hintRepair
	case errors.Is(err, zip.ErrChecksum):
		fault.What = "the workbook is damaged: its content does not match its checksum: " + err.Error()
	}
	return fault
}
