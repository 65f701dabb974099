package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// maxEncryptedBytes is the largest encrypted workbook that is opened: it has to be decrypted in memory.
const maxEncryptedBytes = 64 << 20

// silentPassword is what Excel encrypts a workbook with when a person protects its structure without a password to open
// it; every program opens such a file without asking ([MS-OFFCRYPTO] 2.4.2.3, and Excel's own behaviour).
const silentPassword = "VelvetSweatshop"

// openCompound opens a compound file, the container of Microsoft's older formats: an encrypted workbook or an .xls.
func openCompound(ctx context.Context, file workbookFile, size int64, o Options) ([]grid, error) {
	compound, err := readCompound(file, size)
	if err != nil {
		return nil, workbookFault(err)
	}
	content, encrypted := compound.stream("EncryptedPackage")
	if !encrypted {
		return openXLS(ctx, compound, file, o)
	}
	if size > maxEncryptedBytes || content.size > maxEncryptedBytes {
		return nil, &Error{What: "the workbook is encrypted and larger than " + byteSize(maxEncryptedBytes), Hint: "Open it in a spreadsheet program and save it without a password."}
	}
	info, _ := compound.stream("EncryptionInfo")
	if err := compound.checkEncryption(info); err != nil {
		return nil, workbookFault(err)
	}
	raw := make([]byte, size)
	if _, err := file.ReadAt(raw, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	plain, err := decrypt(raw, o.Password)
	if err != nil {
		return nil, err
	}
	return openArchive(ctx, memoryFile{bytes.NewReader(plain), file}, int64(len(plain)), o)
}

// memoryFile is decrypted content; closing it closes the file that it came from.
type memoryFile struct {
	*bytes.Reader
	io.Closer
}

// decrypt returns the package inside an encrypted workbook. Without a password it tries the one that nobody typed.
func decrypt(raw []byte, password string) ([]byte, error) {
	tried := password
	if tried == "" {
		tried = silentPassword
	}
	plain, err := decryptWith(raw, tried)
	if err == nil && containerShape(plain) == "zip" {
		return plain, nil
	}
	if password == "" {
		return nil, &Error{What: "the workbook is encrypted", Hint: "Set its password (from a secret), or open it in a spreadsheet program and save it without one."}
	}
	return nil, &Error{What: "the workbook is encrypted and does not open with the password given", Hint: "Check the password; if it is right, open the workbook in a spreadsheet program and save it without one."}
}

// decryptWith has excelize decrypt. The library takes the lengths in the file at their word, so a damaged file can make
// it run over the end of a slice: that is a refusal like any other here.
func decryptWith(raw []byte, password string) (plain []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the encryption header is damaged: %v", fault)
		}
	}()
	return excelize.Decrypt(raw, &excelize.Options{Password: password})
}

// checkEncryption proves that decrypting will end in good time: the file itself says how often to hash the password.
func (c *compoundFile) checkEncryption(info compoundStream) error {
	data, err := c.content(info)
	if err != nil {
		return err
	}
	const prefix = 8
	if len(data) < prefix {
		return errCompound
	}
	if binary.LittleEndian.Uint16(data) != 4 || binary.LittleEndian.Uint16(data[2:]) != 4 {
		return nil // the older scheme, with a fixed number of rounds
	}
	return checkSpins(data[prefix:])
}

func checkSpins(description []byte) error {
	xml, err := newXMLScanner(bytes.NewReader(bytes.TrimRight(description, "\x00")))
	if err != nil {
		return err
	}
	for {
		token, err := xml.next()
		if err != nil {
			return err
		}
		if token == xmlEOF {
			return nil
		}
		if token != xmlStart {
			continue
		}
		text, err := xml.attribute("spinCount")
		if err != nil {
			return err
		}
		if n, err := strconv.Atoi(text); text != "" && (err != nil || n < 0 || n > maxSpins) {
			return fmt.Errorf("its encryption asks for %.20s rounds of hashing; the limit is %d", text, maxSpins)
		}
	}
}
