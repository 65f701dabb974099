package sqlite

import "os"

// LogRoom is what the log takes, in bytes, when it is folded back: a header, and a header before each page.
const LogRoom = 32 + LogPages*(24+4096)

// Reserve gives the log all the room that it will need before it is folded back. A flush of what overwrites a file takes
// less than half the time of one that also makes the file longer, and every group of commits waits for a flush.
//
// It is called in a transaction that has written nothing yet, so that nobody else is writing to the log. To SQLite zeros
// are no frame: whoever recovers the log stops there. Where there is no room the log grows as it goes.
func (e *Engine) Reserve() {
	f, err := os.OpenFile(e.path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	zeros := make([]byte, 1<<20)
	for at := info.Size(); at < LogRoom; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), LogRoom-at)], at); err != nil {
			_ = f.Truncate(info.Size())
			return
		}
	}
}
