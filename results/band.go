package results

// A Band is [low, high]: the lowest and the highest value that a figure has among several placements of the same requests.
// It is what was seen, and no bound: placements that were not tried may lie outside.
type Band [2]float64

// AlgorithmBands are the bands of one contestant's figures, where requests were placed in several ways.
type AlgorithmBands struct {
	Admitted         *Band `json:"admitted_band,omitempty"`
	Refused          *Band `json:"refused_band,omitempty"`
	OverAdmitted     *Band `json:"over_admitted_band,omitempty"`
	OverRefused      *Band `json:"over_refused_band,omitempty"`
	Looser           *Band `json:"looser_band,omitempty"`
	Stricter         *Band `json:"stricter_band,omitempty"`
	Disagreements    *Band `json:"disagreements_band,omitempty"`
	PeakWindow       *Band `json:"peak_window_band,omitempty"`
	PeakRatio        *Band `json:"peak_ratio_band,omitempty"`
	ClientsOverLimit *Band `json:"clients_over_limit_band,omitempty"`
}

// EstimateBands are the bands of an estimate's figures.
type EstimateBands struct {
	MeanError             *Band `json:"mean_error_band,omitempty"`
	MeanErrorByClient     *Band `json:"mean_error_by_client_band,omitempty"`
	Bias                  *Band `json:"bias_band,omitempty"`
	MisjudgedRequests     *Band `json:"misjudged_requests_band,omitempty"`
	ClientsWronglyAllowed *Band `json:"clients_wrongly_allowed_band,omitempty"`
	ClientsWronglyLimited *Band `json:"clients_wrongly_limited_band,omitempty"`
	WorstExcess           *Band `json:"worst_excess_band,omitempty"`
}

// Widen makes the bands of r reach to the figures of o, which is the same run with the requests placed otherwise. Bands that
// are not there yet begin at r's own figures. A mean that is null in one of them reaches nowhere.
func (r *Run) Widen(o *Run) {
	for i := range r.Algorithms {
		a, b := &r.Algorithms[i], &o.Algorithms[i]
		if a.AlgorithmBands == nil {
			a.AlgorithmBands = &AlgorithmBands{}
		}
		s := a.AlgorithmBands
		widenCount(&s.Admitted, a.Admitted, b.Admitted)
		widenCount(&s.Refused, a.Refused, b.Refused)
		widenCount(&s.OverAdmitted, a.OverAdmitted, b.OverAdmitted)
		widenCount(&s.OverRefused, a.OverRefused, b.OverRefused)
		widenCount(&s.Looser, a.Looser, b.Looser)
		widenCount(&s.Stricter, a.Stricter, b.Stricter)
		widenCount(&s.Disagreements, a.Disagreements, b.Disagreements)
		widenCount(&s.PeakWindow, a.PeakWindow, b.PeakWindow)
		widen(&s.PeakRatio, &a.PeakRatio, &b.PeakRatio)
		widenCount(&s.ClientsOverLimit, a.ClientsOverLimit, b.ClientsOverLimit)
		if a.Estimate != nil && b.Estimate != nil {
			a.Estimate.widen(b.Estimate)
		}
	}
}

// ForgetBands takes the bands away.
func (r *Run) ForgetBands() {
	for i := range r.Algorithms {
		a := &r.Algorithms[i]
		a.AlgorithmBands = nil
		if a.Estimate != nil {
			a.Estimate.EstimateBands = nil
		}
	}
}

func (e *Estimate) widen(o *Estimate) {
	if e.EstimateBands == nil {
		e.EstimateBands = &EstimateBands{}
	}
	s := e.EstimateBands
	widen(&s.MeanError, e.MeanError, o.MeanError)
	widen(&s.MeanErrorByClient, e.MeanErrorByClient, o.MeanErrorByClient)
	widen(&s.Bias, e.Bias, o.Bias)
	widenCount(&s.MisjudgedRequests, e.MisjudgedRequests, o.MisjudgedRequests)
	widenCount(&s.ClientsWronglyAllowed, e.ClientsWronglyAllowed, o.ClientsWronglyAllowed)
	widenCount(&s.ClientsWronglyLimited, e.ClientsWronglyLimited, o.ClientsWronglyLimited)
	widen(&s.WorstExcess, &e.WorstExcess, &o.WorstExcess)
}

func widenCount(band **Band, own, other int64) {
	x, y := float64(own), float64(other)
	widen(band, &x, &y)
}

func widen(band **Band, own, other *float64) {
	for _, x := range []*float64{own, other} {
		if x == nil {
			continue
		}
		if *band == nil {
			*band = &Band{*x, *x}
		}
		(*band)[0], (*band)[1] = min((*band)[0], *x), max((*band)[1], *x)
	}
}
