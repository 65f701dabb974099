package xlsx

import "testing"

func TestEncryptionThatWouldTakeTooLongIsRefused(t *testing.T) {
	t.Parallel()
	for description, fine := range map[string]bool{
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="100000"/></keyEncryptors></encryption>`:        true,
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="1000001"/></keyEncryptors></encryption>`:       false,
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="9999999999999"/></keyEncryptors></encryption>`: false,
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="-1"/></keyEncryptors></encryption>`:            false,
		`<encryption>`: false,
	} {
		if err := checkSpins([]byte(description + "\x00\x00")); (err == nil) != fine {
			t.Errorf("%s gives error %v", description, err)
		}
	}
}
