package inbox

import (
	"context"

	"github.com/fsnotify/fsnotify"
)

// Hint tells when something happened in the folder, so that a poll need not be waited for. It is a hint only: network
// shares send no events, and where the folder cannot be watched the channel never tells anything. Several events may be
// told as one. It ends with ctx.
func (f *Folder) Hint(ctx context.Context) <-chan struct{} {
	hints := make(chan struct{}, 1)
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return hints
	}
	if err := watcher.Add(f.Path); err != nil {
		_ = watcher.Close() // nothing is watched, so nothing is lost
		return hints
	}
	go func() {
		defer func() { _ = watcher.Close() }()
		for {
			select {
			case _, ok := <-watcher.Events:
				if !ok {
					return
				}
			case <-watcher.Errors: // events were lost, which is one too
			case <-ctx.Done():
				return
			}
			select {
			case hints <- struct{}{}:
			default:
			}
		}
	}()
	return hints
}
