package results

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Fill derives the figures of a run from its tally. What describes the run (scenario, pattern, limit, ...) is left alone.
func (t *Tally) Fill(r *Run) {
	r.Clients = t.Clients
	r.Requests, r.WorkloadDigest, r.RequestsByPhase = nil, nil, nil
	if !t.ClosedLoop {
		requests, digest := t.Requests, fmt.Sprintf("%016x", t.Digest)
		r.Requests, r.WorkloadDigest = &requests, &digest
		r.RequestsByPhase = append([]int64{}, t.Phase[:]...)
	}
	r.Refusals = t.refusals()
	r.Algorithms = make([]Algorithm, len(t.Algorithms))
	for i, a := range t.Algorithms {
		r.Algorithms[i] = a.figures(&t.Active)
	}
}

func (a *AlgorithmTally) figures(active *[Groups]int64) Algorithm {
	s := sample{a, active}
	n := s.total
	f := Algorithm{
		Name: a.Name, Limit: a.Limit, WindowNS: a.WindowNS, Bound: a.Bound,
		Requests: n(Requests), Admitted: n(Admitted), Errors: n(Errors), Failure: a.Failure,
		Refused:      n(Requests) - n(Admitted) - n(Errors),
		OverAdmitted: n(OverAdmitted), OverAdmittedCI: s.share(OverAdmitted),
		OverRefused: n(OverRefused), OverRefusedCI: s.share(OverRefused),
		Looser: n(Looser), LooserCI: s.share(Looser),
		Stricter: n(Stricter), StricterCI: s.share(Stricter),
		Disagreements: n(Looser) + n(Stricter), DisagreementsCI: s.share(Looser, Stricter),
		ClientsOverLimit: n(ClientsOverLimit), ClientsRefused: n(ClientsRefused), Hardest: a.Hardest,
		Phase: &Phase{
			OverAdmitted: append([]int64{}, a.Phase[PhaseOverAdmitted][:]...),
			OverRefused:  append([]int64{}, a.Phase[PhaseOverRefused][:]...),
			Looser:       append([]int64{}, a.Phase[PhaseLooser][:]...),
			Stricter:     append([]int64{}, a.Phase[PhaseStricter][:]...),
		},
	}
	a.fillPeak(&f)
	if a.Estimates {
		f.Estimate = a.estimate(s)
	}
	return f
}

// fillPeak sets the peak of the limit that was exceeded most, relative to itself.
func (a *AlgorithmTally) fillPeak(f *Algorithm) {
	for i, p := range a.Peaks {
		if ratio := float64(p.Max) / float64(p.Limit); i == 0 || ratio > f.PeakRatio {
			f.PeakWindow, f.PeakRatio, f.PeakWitness = p.Max, ratio, nil
			if p.Max > 0 {
				f.PeakWitness = &Witness{Key: p.Key, TNS: p.TNS}
			}
		}
		if len(a.Peaks) > 1 {
			f.Limits = append(f.Limits, LimitPeak{p.Limit, p.WindowNS, p.Max})
		}
	}
}

func (a *AlgorithmTally) estimate(s sample) *Estimate {
	e := &Estimate{
		MisjudgedRequests: s.total(Misjudged), MisjudgedRequestsCI: s.share(Misjudged),
		ClientsWronglyAllowed: s.total(WronglyAllowed), ClientsWronglyLimited: s.total(WronglyLimited),
		ErrorByClient: append([]int64{}, a.ErrorByClient...),
	}
	e.MeanError, e.MeanErrorCI = s.mean(AbsoluteError, ErrorRequests)
	e.MeanErrorByClient, e.MeanErrorByClientCI = s.mean(ClientError, ErrorClients)
	e.Bias, e.BiasCI = s.mean(SignedError, ErrorRequests)
	if a.MaxWronglyAllowed > 0 {
		e.WorstExcess = float64(a.MaxWronglyAllowed)/float64(a.Limit) - 1
	}
	return e
}

// A sample is one contestant's sums by group of clients, from which totals and intervals are taken.
type sample struct {
	*AlgorithmTally
	active *[Groups]int64
}

func (s sample) total(count int) (n int64) {
	for g := range s.Groups {
		n += s.Groups[g][count]
	}
	return n
}

// share returns the interval of the share of requests that the counts make up together. Where nothing (or everything)
// was seen it reaches 3/clients from there, the 95 % bound of the rule of three.
func (s sample) share(counts ...int) *CI {
	var x, y [Groups]float64
	var sumX, sumY, clients float64
	for g := range s.Groups {
		for _, c := range counts {
			x[g] += float64(s.Groups[g][c])
		}
		y[g] = float64(s.Groups[g][Requests])
		sumX, sumY, clients = sumX+x[g], sumY+y[g], clients+float64(s.active[g])
	}
	switch {
	case sumY == 0:
		return nil
	case sumX == 0:
		return &CI{0, math.Min(1, 3/clients)}
	case sumX == sumY:
		return &CI{math.Max(0, 1-3/clients), 1}
	}
	ci := s.jackknife(&x, &y)
	if ci != nil {
		ci[0], ci[1] = math.Max(0, ci[0]), math.Min(1, ci[1])
	}
	return ci
}

// mean returns sum/count in relative units, and its interval; nil with nothing behind it.
func (s sample) mean(sum, count int) (*float64, *CI) {
	var total Sum
	var x, y [Groups]float64
	for g := range s.Groups {
		total.AddSum(s.ErrorSums[g][sum])
		x[g] = s.ErrorSums[g][sum].Float() * ErrorUnit
		y[g] = float64(s.Groups[g][count])
	}
	n := s.total(count)
	if n == 0 {
		return nil, nil
	}
	m := total.Float() * ErrorUnit / float64(n)
	ci := s.jackknife(&x, &y)
	if ci != nil && sum != SignedError {
		ci[0] = math.Max(0, ci[0])
	}
	return &m, ci
}

// jackknife returns the 95 % interval of sum(x)/sum(y) by leaving out one group of clients after the other. It is nil
// with fewer than two groups behind it, or when the groups do not differ at all, as they then say nothing of the spread.
//
// With G groups, r the whole ratio and r(g) the ratio without group g, the standard error is
// sqrt((G-1)/G * sum((r(g) - mean r(g))^2)), and the interval r +- t * that, t being Student's with G-1 degrees of
// freedom (Wolter, Introduction to Variance Estimation, 2nd ed., 2007, chapter 4).
func (s sample) jackknife(x, y *[Groups]float64) *CI {
	var sumX, sumY float64
	for g := range x {
		sumX, sumY = sumX+x[g], sumY+y[g]
	}
	var without []float64
	var mean float64
	for g := range x {
		if s.active[g] > 0 && y[g] < sumY && y[g] > 0 {
			r := (sumX - x[g]) / (sumY - y[g])
			without, mean = append(without, r), mean+r
		}
	}
	groups := float64(len(without))
	if groups < 2 {
		return nil
	}
	mean /= groups
	var squares float64
	for _, r := range without {
		squares += float64((r - mean) * (r - mean))
	}
	if squares == 0 {
		return nil
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: groups - 1}.Quantile(0.975)
	half := t * math.Sqrt((groups-1)/groups*squares)
	return &CI{sumX/sumY - half, sumX/sumY + half}
}
