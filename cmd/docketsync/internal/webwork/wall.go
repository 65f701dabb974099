package webwork

import (
	"fmt"
	"slices"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/mapping"
)

// Apart makes sure that a wall can hold: records of one scope are the same records, whatever the job, so a job that an account sees must
// share its scope with none that it does not see. A mapping that cannot be read has no records yet, and is told elsewhere.
func Apart(settings *config.Config) error {
	lists := [][]string{}
	for _, user := range settings.Console.Users {
		lists = append(lists, user.Jobs)
	}
	if o := settings.Console.OIDC; o != nil {
		for _, seen := range o.Jobs {
			lists = append(lists, seen)
		}
	}
	if lists = slices.DeleteFunc(lists, func(seen []string) bool { return len(seen) == 0 || slices.Contains(seen, config.AllJobs) }); len(lists) == 0 {
		return nil
	}
	scopes := map[string][]string{}
	for _, job := range settings.Jobs {
		text, err := installation.ReadMapping(job.Mapping)
		if err != nil {
			continue
		}
		if m, err := mapping.Parse(job.Mapping, text, installation.MappingOptions(settings)); err == nil {
			scopes[m.Scope()] = append(scopes[m.Scope()], job.Name)
		}
	}
	for scope, jobs := range scopes {
		for _, seen := range lists {
			inside := func(job string) bool { return slices.Contains(seen, job) }
			in, out := slices.IndexFunc(jobs, inside), slices.IndexFunc(jobs, func(job string) bool { return !inside(job) })
			if in >= 0 && out >= 0 {
				return fmt.Errorf("an account of the console sees the job %s and not %s, but both keep the same records (scope %s)\n"+
					"Give each team's jobs a scope of their own in their mappings before their first run, or name both jobs under jobs: of the account", jobs[in], jobs[out], scope)
			}
		}
	}
	return nil
}
