package pace

import "time"

// meter counts events in slots of time, to tell their rate over the last two seconds.
type meter struct {
	Slots [meterSlots]int
	Last  int64 // number of the slot that is counted in
	First time.Time
}

const (
	meterSlots = 20
	meterSlot  = 100 * time.Millisecond
)

func (m *meter) add(now time.Time, n int) {
	if m.First.IsZero() {
		m.First = now
		m.Last = slotOf(now)
	}
	m.turn(now)
	m.Slots[m.Last%meterSlots] += n
}

func slotOf(now time.Time) int64 { return now.UnixNano() / int64(meterSlot) }

func (m *meter) turn(now time.Time) {
	current := slotOf(now)
	for range min(current-m.Last, meterSlots) {
		m.Last++
		m.Slots[m.Last%meterSlots] = 0
	}
	m.Last = max(m.Last, current)
}

// lastSecond is the number of events in the last second or a little less, never more.
func (m *meter) lastSecond(now time.Time) float64 {
	m.turn(now)
	sum := 0
	for slot := range int64(time.Second / meterSlot) {
		sum += m.Slots[(m.Last+meterSlots-slot)%meterSlots]
	}
	return float64(sum)
}

// rate is the number of events per second over the last two seconds, or since the first event when that is less long ago.
func (m *meter) rate(now time.Time) float64 {
	m.turn(now)
	sum := 0
	for _, n := range m.Slots {
		sum += n
	}
	covered := (meterSlots-1)*meterSlot + time.Duration(now.UnixNano()%int64(meterSlot))
	if since := now.Sub(m.First); since < covered {
		covered = max(since, meterSlot/2)
	}
	return float64(sum) / covered.Seconds()
}
