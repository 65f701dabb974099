package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer/report/wording"
)

func lookAtConfiguration(_ context.Context, p *patient) []Finding {
	settings, err := p.setup.Settings()
	if err == nil {
		err = installation.OfOneFirm(settings)
	}
	if err != nil {
		return faults(err)
	}
	p.in = p.setup.New(settings)
	return []Finding{ok("%s has no errors: %s", p.setup.ConfigFile, wording.Counted(len(settings.Jobs), "job"))}
}

// faults returns the findings for an error that may be several.
func faults(err error) (list []Finding) {
	var several diagnostic.Faults
	if !errors.As(err, &several) {
		return []Finding{failed(err)}
	}
	for _, fault := range several {
		list = append(list, failedWith(exit.Usage, fault.Hint, "%s:%d:%d: %s", fault.File, fault.Line, fault.Column, fault.Message))
	}
	return list
}

func lookAtSecrets(_ context.Context, p *patient) []Finding {
	settings := p.in.Config
	var list []Finding
	owners := []config.Owner{config.OfService, config.OfChannels, config.OfConsole, config.OfCertificate}
	for name := range settings.Remotes {
		owners = append(owners, config.OfRemote(name))
	}
	for _, owner := range owners {
		if err := settings.Missing(owner); err != nil {
			p.withheld = p.withheld || owner == config.OfService
			list = append(list, faults(err)...)
		}
	}
	if names := settings.SecretNames(); len(names) > 0 {
		list = append(list, ok("present: %s", strings.Join(names, ", ")))
	}
	return list
}

// lookAtJobs checks what a run needs of each job before it reads rows; reading rows is left to 'docketsync check'.
func lookAtJobs(_ context.Context, p *patient) (list []Finding) {
	var ready []string
	for _, settings := range p.in.Config.Jobs {
		job, err := p.in.Job(settings)
		if err == nil {
			operation := string(job.Mapping.Operation())
			_, path := p.in.Config.Service.Path(operation)
			err = errors.Join(path, p.in.Config.Service.Identity(operation))
		}
		if err != nil {
			for _, finding := range faults(err) {
				finding.Said, finding.code = "job "+settings.Name+": "+finding.Said, exit.Usage
				list = append(list, finding)
			}
			continue
		}
		if missing := missingFile(settings); missing != nil {
			list = append(list, warning("Put it there, or correct the path in the configuration.", "job %s: %v", settings.Name, missing))
			continue
		}
		ready = append(ready, settings.Name)
	}
	if len(ready) > 0 {
		list = append(list, ok("mapping and source of %s are there", strings.Join(ready, ", ")), notTried("rows were not read: docketsync check does that"))
	}
	return list
}

// missingFile says why a local file that a job reads cannot be opened, nil if all can. An export may well be made only
// just before its run.
func missingFile(job config.Job) error {
	for _, file := range job.Source.Files {
		if name, _ := config.RemotePath(file); name != "" {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("its source cannot be read: %w", err)
		}
		_ = f.Close()
	}
	return nil
}
