package remote

import (
	"context"
	"os"
	"path"
	"path/filepath"
)

// Upload copies the files of a folder of this machine into a folder there, which it makes where it is missing. Files of the
// same name are replaced. The error is an *Error, or the context's.
func (c *Courier) Upload(ctx context.Context, folder, to string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		there := path.Join(to, e.Name())
		err := c.retry(ctx, there, func(ctx context.Context, s store) error { return put(ctx, s, filepath.Join(folder, e.Name()), there) })
		if err != nil {
			return err
		}
	}
	return nil
}

func put(ctx context.Context, s store, from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return &Error{What: "the file to be copied there cannot be read", Err: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return &Error{What: "the file to be copied there cannot be read", Err: err}
	}
	if err := s.put(ctx, to, file, info.Size()); err != nil {
		return err
	}
	there, err := s.stat(ctx, to)
	if err == nil && there.size != info.Size() {
		err = disagreement("%d bytes of %d are there", there.size, info.Size())
	}
	return err
}
