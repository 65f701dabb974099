package metrics

import (
	"cmp"
	"maps"
	"slices"

	dto "github.com/prometheus/client_model/go"
)

// ofProcess lists the metrics that say nothing of a single firm, and the one that would be too many lines for hundreds
// of firms.
var ofProcess = []string{"docketsync_ledger_up", "docketsync_slices_total", "docketsync_run_duration_seconds"}

// Firm returns the metrics of one of many firms: m reports them too, with a label firm, until Forget. The ledger of a
// firm is open only briefly, so Read must be called while it is.
func (m *Metrics) Firm(name string) *Metrics {
	m.firmsMu.Lock()
	defer m.firmsMu.Unlock()
	if m.ofFirms[name] == nil {
		m.ofFirms[name] = ofRuns()
	}
	return m.ofFirms[name]
}

// Forget stops reporting a firm: another node may know it better from now on.
func (m *Metrics) Forget(firm string) {
	m.firmsMu.Lock()
	defer m.firmsMu.Unlock()
	delete(m.ofFirms, firm)
}

// Read reads from the ledger, now, what comes from it.
func (m *Metrics) Read() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read()
}

// withFirms adds the metrics of each firm.
func (m *Metrics) withFirms(all []*dto.MetricFamily) ([]*dto.MetricFamily, error) {
	m.firmsMu.Lock()
	firms := maps.Clone(m.ofFirms)
	m.firmsMu.Unlock()
	families := map[string]*dto.MetricFamily{}
	for _, family := range all {
		families[family.GetName()] = family
	}
	label := "firm"
	for _, firm := range slices.Sorted(maps.Keys(firms)) {
		told, err := firms[firm].Registry.Gather()
		if err != nil {
			return nil, err
		}
		for _, family := range told {
			if slices.Contains(ofProcess, family.GetName()) {
				continue
			}
			for _, metric := range family.Metric {
				metric.Label = append([]*dto.LabelPair{{Name: &label, Value: &firm}}, metric.Label...)
			}
			if known := families[family.GetName()]; known != nil {
				known.Metric = append(known.Metric, family.Metric...)
			} else {
				families[family.GetName()] = family
			}
		}
	}
	return slices.SortedFunc(maps.Values(families), func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) }), nil
}
