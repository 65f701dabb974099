package config

import (
	"path/filepath"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Inbox is a folder that files arrive in; each is run when it has arrived.
type Inbox struct {
	// Folder is the watched folder. It may be on a network share.
	Folder string `yaml:"folder" json:"folder"`
	// Files are the names to be taken, with * and ?, ignoring case.
	Files Files `yaml:"files" json:"files"`
	// Holds is export (each file is the whole export) or changes (each has the rows that are new or changed).
	Holds string `yaml:"holds" json:"holds"`
	// Take is all (in order) or newest (the older ones are put away).
	Take string `yaml:"take" json:"take"`
	// Order is time (last written) or name.
	Order string `yaml:"order" json:"order"`
	// Poll is how often the folder is looked into.
	Poll time.Duration `yaml:"poll" json:"poll"`
	// Still is how long the size and time of a file must have held still, in the folder and again after it was moved.
	Still time.Duration `yaml:"still" json:"still"`
	// Patience is how long a file that looks cut off is waited for, and one in the archive looked at.
	Patience time.Duration `yaml:"patience" json:"patience"`
	// Marker is the ending of the file that says of another that it is complete, "" for none.
	Marker string `yaml:"marker" json:"marker,omitempty"`
	// Archive is the folder for files whose run was made, from Folder on.
	Archive string `yaml:"archive" json:"archive"`
	// Rejected is the folder for files that no run could be made of, from Folder on.
	Rejected string `yaml:"rejected" json:"rejected"`
}

// UnmarshalNode reads an inbox over its defaults, or its folder alone.
func (b *Inbox) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	*b = Inbox{Files: Files{"*"}, Holds: "export", Take: "all", Order: "time", Poll: 30 * time.Second, Still: time.Minute, Patience: time.Hour,
		Archive: "archive", Rejected: "rejected"}
	if n.Kind == document.Scalar {
		b.Folder = n.Value
		return nil
	}
	type plain Inbox
	return f.Decode(n, (*plain)(b))
}

// normalise makes paths of the file paths of the working directory.
func (b *Inbox) normalise(p *place) {
	b.Folder = p.resolve(b.Folder)
	for _, path := range []*string{&b.Archive, &b.Rejected} {
		if !filepath.IsAbs(*path) {
			*path = filepath.Join(b.Folder, filepath.FromSlash(*path))
		}
	}
}

func (v *validator) inbox(b Inbox, at func(...any) []any) {
	remote, _ := RemotePath(b.Folder)
	v.require(b.Folder != "", "the inbox has no folder", "write inbox: {folder: PATH}", at("folder")...)
	v.require(remote == "", "an inbox is a folder of this machine or of a share that is mounted here",
		"for files on a remote write file: NAME:/path/matters*.csv; the newest is fetched", at("folder")...)
	v.require(len(b.Files) > 0, "the inbox takes no files", `write files: "*.csv", or leave it out for all`, at("files")...)
	for _, pattern := range b.Files {
		_, err := filepath.Match(pattern, "")
		v.require(err == nil && pattern != "" && !strings.ContainsAny(pattern, `/\`), "this is no pattern of names",
			`such as "matters*.csv"; * stands for any characters, ? for one; folders in the inbox are not looked into`, at("files")...)
	}
	v.choice(b.Holds, at("holds")...)
	v.choice(b.Take, at("take")...)
	v.require(b.Holds != "changes" || b.Take != "newest", "files that hold changes are all needed, and only the newest is taken",
		"leave take out, or write holds: export if each file is the whole export", at("take")...)
	v.choice(b.Order, at("order")...)
	v.atLeast(b.Poll, time.Second, at("poll")...)
	v.atLeast(b.Still, time.Second, at("still")...)
	v.atLeast(b.Patience, time.Second, at("patience")...)
	v.require(!strings.ContainsAny(b.Marker, `/\*?`), "the marker is the ending of a name", "such as .done, for matters.csv.done", at("marker")...)
	v.require(b.Archive != "" && b.Rejected != "" && b.Archive != b.Rejected, "files that are done with need two folders to be put into",
		"leave archive and rejected out for the folders of these names in the inbox", at()...)
}
