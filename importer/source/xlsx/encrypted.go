package xlsx

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/compound"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheetxml"
)

// maxEncryptedBytes is the maximum size of an encrypted workbook, which must be decrypted in memory.
const maxEncryptedBytes = 64 << 20

// maxSpins is the maximum number of hashing rounds for a password; Office uses 100,000.
const maxSpins = 1_000_000

// silentPassword is the password with which Excel encrypts a workbook whose structure is protected without a password
// for opening. Every program opens such a file without asking ([MS-OFFCRYPTO] 2.4.2.3, and Excel's own behaviour).
const silentPassword = "VelvetSweatshop"

// Decrypt returns the archive inside an encrypted workbook, which is a compound file of that many bytes. ok reports
// whether the file is one.
func Decrypt(file io.ReaderAt, size int64, c *compound.File, password string) (plain []byte, ok bool, err error) {
	content, encrypted := c.Stream("EncryptedPackage")
	if !encrypted {
		return nil, false, nil
	}
	if size > maxEncryptedBytes || content.Size > maxEncryptedBytes {
		return nil, true, &format.Error{What: "the workbook is encrypted and larger than " + format.ByteSize(maxEncryptedBytes), Hint: "Open it in a spreadsheet program and save it without a password."}
	}
	info, _ := c.Stream("EncryptionInfo")
	if err := checkEncryption(c, info); err != nil {
		return nil, true, format.WorkbookFault(err)
	}
	raw, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	if err != nil {
		return nil, true, err
	}
	plain, err = decrypt(raw, password)
	return plain, true, err
}

// decrypt returns the package inside an encrypted workbook. Without a password it tries silentPassword.
func decrypt(raw []byte, password string) ([]byte, error) {
	plain, err := decryptWith(raw, cmp.Or(password, silentPassword))
	if err == nil && archive.Is(plain) {
		return plain, nil
	}
	if password == "" {
		return nil, &format.Error{What: "the workbook is encrypted", Hint: "Set its password (from a secret), or open it in a spreadsheet program and save it without one."}
	}
	return nil, &format.Error{What: "the workbook is encrypted and does not open with the password given", Hint: "Check the password; if it is right, open the workbook in a spreadsheet program and save it without one."}
}

// decryptWith decrypts with excelize. The library trusts the lengths in the file, so a damaged file can make it run
// past the end of a slice; here that becomes an ordinary error.
func decryptWith(raw []byte, password string) (plain []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the encryption header is damaged: %v", fault)
		}
	}()
	return excelize.Decrypt(raw, &excelize.Options{Password: password})
}

// checkEncryption proves that decrypting will end in reasonable time: the file itself says how often to hash the
// password.
func checkEncryption(c *compound.File, info compound.Stream) error {
	data, err := c.Content(info)
	if err != nil {
		return err
	}
	const prefix = 8
	if len(data) < prefix {
		return compound.ErrDamaged
	}
	if binary.LittleEndian.Uint16(data) != 4 || binary.LittleEndian.Uint16(data[2:]) != 4 {
		return nil // the older scheme, with a fixed number of rounds
	}
	return checkSpins(data[prefix:])
}

func checkSpins(description []byte) error {
	xml, err := sheetxml.NewScanner(bytes.NewReader(bytes.TrimRight(description, "\x00")))
	if err != nil {
		return err
	}
	return xml.Children(func() error {
		text, err := xml.Attribute("spinCount")
		if err != nil {
			return err
		}
		if n, err := strconv.Atoi(text); text != "" && (err != nil || n < 0 || n > maxSpins) {
			return fmt.Errorf("its encryption asks for %.20s rounds of hashing; the limit is %d", text, maxSpins)
		}
		return nil
	})
}
