package record

// Reading leniently looks ahead for a closing quote, in vain where a quote is stray. lenientAhead bounds how far; what was
// looked at in vain may be wasteFloor bytes and wasteShare times what was read. Beyond that the file is refused, so that
// one full of stray quotes takes time in proportion to its length.
const (
	lenientAhead = 256 << 10
	wasteFloor   = 64 << 20
	wasteShare   = 16
)

// assembleLenient goes on where the strict reading did not fit; strict says that it was at least without fault.
func (r *Reader) assembleLenient(stop, width int, strict bool) (end, endWidth int, err error) {
	for _, q := range []quoting{{loose: true, oneLine: true}, {loose: true}} {
		if r.Width == 0 {
			break // nothing fits for certain
		}
		r.waste(stop)
		end, endWidth, err = r.parse(stop, width, q)
		if err == nil && len(r.Cells) == r.Width {
			r.Repairs.Stray = true
			return end, endWidth, nil
		}
	}
	r.waste(stop)
	if r.wasted > wasteFloor+wasteShare*r.consumed {
		return 0, 0, r.fault(0, "there are too many stray quotes to tell which ones belong to cells",
			"Set quote: none if quotes are ordinary characters in this file, or export it again with proper quotes.")
	}
	if strict {
		return r.parse(stop, width, quoting{})
	}
	r.Repairs.Stray = true
	return r.parse(stop, width, quoting{loose: true, oneLine: true})
}

// waste accounts for what the last reading looked at beyond the first line.
func (r *Reader) waste(stop int) {
	r.wasted += int64(max(0, r.reach-stop))
}
