package pace

import "time"

// meter counts events in slots of time, to tell their rate over the last two seconds.
type meter struct {
	slots [meterSlots]int
	last  int64 // number of the slot that is counted in
	first time.Time
}

const (
	meterSlots = 20
	meterSlot  = 100 * time.Millisecond
)

func (m *meter) add(now time.Time) {
	if m.first.IsZero() {
		m.first = now
		m.last = slotOf(now)
	}
	m.turn(now)
	m.slots[m.last%meterSlots]++
}

func slotOf(now time.Time) int64 { return now.UnixNano() / int64(meterSlot) }

func (m *meter) turn(now time.Time) {
	current := slotOf(now)
	for range min(current-m.last, meterSlots) {
		m.last++
		m.slots[m.last%meterSlots] = 0
	}
	m.last = current
}

// lastSecond is the number of events in the last second or a little less, never more.
func (m *meter) lastSecond(now time.Time) float64 {
	m.turn(now)
	sum := 0
	for slot := range int64(time.Second / meterSlot) {
		sum += m.slots[(m.last+meterSlots-slot)%meterSlots]
	}
	return float64(sum)
}

// rate is the number of events per second over the last two seconds, or since the first event when that is less long ago.
func (m *meter) rate(now time.Time) float64 {
	m.turn(now)
	sum := 0
	for _, n := range m.slots {
		sum += n
	}
	covered := (meterSlots-1)*meterSlot + time.Duration(now.UnixNano()%int64(meterSlot))
	if since := now.Sub(m.first); since < covered {
		covered = max(since, meterSlot/2)
	}
	return float64(sum) / covered.Seconds()
}
