package console

import "strings"

// Posts are the paths of the routes that change something, with their wildcards, and the names that the audit has for them.
func (s *Server) Posts() map[string]string {
	posts := map[string]string{}
	for pattern, of := range s.frame.Routes {
		if path, ok := strings.CutPrefix(pattern, "POST "); ok {
			posts[path] = of.Action
		}
	}
	return posts
}
