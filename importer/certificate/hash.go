package certificate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
)

// hashes are the hash totals of an operation, as the package comment says. Records without a key, which are rejected for want of
// one, have no part in them.
func (c *census) hashes(operation string) Hashes {
	var order []int32
	for n, e := range c.entities {
		if e.operation == operation && e.key != "" && !e.replaced {
			order = append(order, int32(n))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.entities[a].key, c.entities[b].key), cmp.Compare(a, b))
	})
	var h Hashes
	source, in, payloads := sha256.New(), sha256.New(), sha256.New()
	for _, n := range order {
		e := &c.entities[n]
		h.KeysSource++
		_, _ = io.WriteString(source, e.key+"\n") // a hash never fails
		if !e.in() {
			continue
		}
		h.KeysIn++
		_, _ = io.WriteString(in, e.key+"\n")
		if e.digest != "" {
			h.Payloads++
			_, _ = io.WriteString(payloads, e.key+"\t"+e.digest+"\n")
		}
	}
	h.OfSource, h.OfIn, h.OfPayloads = hex.EncodeToString(source.Sum(nil)), hex.EncodeToString(in.Sum(nil)), hex.EncodeToString(payloads.Sum(nil))
	return h
}
