package daemon

import (
	"time"

	"docketsync/importer/ledger/fault"
)

// place is what a visit holds: one of the places of firms that are open, or while all nodes send a large run of it, one of those that are
// led. So a large run keeps nobody from planning and sending a small one, and small ones wait for each other only.
type place struct {
	fleet   *fleet
	leads   bool             // it has a place to lead
	leading bool             // and has given the other one back meanwhile
	gaveWay bool             // there was none to lead, or no node could send what it led
	busy    *fault.BusyError // another process is sending records of a job that is due
	noticed time.Time        // when it was found that something is due
}

// lead goes over to leading. It is false where there is no place.
func (p *place) lead() bool {
	if !p.leads {
		select {
		case p.fleet.leads <- struct{}{}:
			p.leads = true
		default:
			p.gaveWay = true
			return false
		}
	}
	p.leading = true
	<-p.fleet.places
	p.fleet.rouse()
	return true
}

// plan goes back from leading: what is left to be done needs the place of any other firm.
func (p *place) plan() {
	if p.leading {
		p.fleet.places <- struct{}{}
		p.leading = false
	}
}

func (p *place) leave() {
	<-p.fleet.places
	if p.leads {
		<-p.fleet.leads
	}
}

// enter takes a place among the firms that are open, and one among those that are led; both or none.
func (f *fleet) enter(leads bool) bool {
	select {
	case f.places <- struct{}{}:
	default:
		return false
	}
	if !leads {
		return true
	}
	select {
	case f.leads <- struct{}{}:
		return true
	default:
		<-f.places
		return false
	}
}
