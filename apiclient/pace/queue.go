package pace

import "time"

// queue holds those who wait for a turn, in the order they came.
type queue struct {
	items []*waiter
	head  int
}

// waiter is one who waits. granted has room for the one grant it gets, so that granting never blocks.
type waiter struct{ granted chan grant }

type grant struct {
	turn Turn
	err  error
}

func (q *queue) len() int { return len(q.items) - q.head }

func (q *queue) push() *waiter {
	w := &waiter{granted: make(chan grant, 1)}
	q.items = append(q.items, w)
	return w
}

// pop takes the first one, nil when there is none.
func (q *queue) pop() *waiter {
	if q.len() == 0 {
		return nil
	}
	w := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	} else if q.head > 64 && 2*q.head > len(q.items) {
		q.items, q.head = append(q.items[:0], q.items[q.head:]...), 0
	}
	return w
}

// remove takes one out who does not want to wait any longer; false when it has been granted already.
func (q *queue) remove(w *waiter) bool {
	for i := q.head; i < len(q.items); i++ {
		if q.items[i] == w {
			q.items = append(q.items[:i], q.items[i+1:]...)
			return true
		}
	}
	return false
}

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
