package mapping

import "time"

// DayOf is the calendar day of a rank; false for none.
func DayOf(rank int64) (time.Time, bool) {
	return time.Unix((rank-daysToEpoch)*24*60*60, 0).UTC(), rank > 0 && rank < RankLast
}
