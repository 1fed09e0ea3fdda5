package generators

import "slices"

// Scenarios lists the built-in scenarios.
var Scenarios = []Scenario{patternsScenario(), cloudflareScenario(), boundaryScenario(), twoLimitsScenario(), worstCaseScenario()}

const minute = int64(60e9) // ns

// patternsScenario is what runs without any flag, so it is sized to take a few seconds.
func patternsScenario() Scenario {
	s := Scenario{
		Name: "patterns",
		Doc: "Every pattern of traffic at half, nine tenths and one and a half times the limit of 100 requests a minute, for an hour, " +
			"all clients alike. Which algorithm is looser than the exact log, which is stricter, and where.",
	}
	for _, pattern := range []string{"uniform", "poisson", "front", "back", "end", "bursty", "diurnal", "flashcrowd", "retry"} {
		for _, load := range []float64{0.5, 0.9, 1.5} {
			if pattern == "end" && load > 1 {
				continue // its cycle can't be shorter than at 0.9
			}
			s.Stages = append(s.Stages, Stage{
				Pattern: pattern, Clients: 200, Load: load, Limits: []int64{100}, Window: minute, Span: 60 * minute, Seed: 1,
				Algorithms: []string{"log", "counter", "fixed", "gcra"},
			})
		}
	}
	return s
}

// The size of Cloudflare's published test: so many requests from so many sources.
const (
	cloudflareClients  = 270_000
	cloudflareRequests = 400e6
	cloudflareWindows  = 55
)

func cloudflareScenario() Scenario {
	main := Stage{
		Pattern: "poisson", Rates: "lognormal(0.8)", Clients: cloudflareClients, Requests: cloudflareRequests,
		Limits: []int64{500}, Window: minute, Span: cloudflareWindows * minute, Seed: 1, Algorithms: []string{"log", "counter"},
	}
	s := Scenario{
		Name: "cloudflare",
		Doc: "A model, not Cloudflare's traffic, which is not public: 270,000 clients send 400 million requests within 55 minutes, each " +
			"at random moments (Poisson) around a mean rate of its own that does not change; these rates are spread lognormal(0.8) around " +
			"27 a minute. The limit is 500 a minute, which about seven clients exceed by their mean rate. Size and mean follow the " +
			"published test; the spread and the limit are assumptions, chosen so that nearly all traffic is far from the limit, as it " +
			"must have been there. What they do is shown by the stages at a hundredth of the clients, with other spreads and limits: the " +
			"share misjudged is a property of traffic that is far from its limit, and not of the algorithm alone.",
		Stages: []Stage{main},
	}
	for _, rates := range []string{"constant", "lognormal(0.4)", "lognormal(0.8)", "lognormal(1.2)", "pareto(1.5)"} {
		hundredth := main
		hundredth.Label = "sensitivity"
		hundredth.Rates = rates
		hundredth.Clients /= 100
		hundredth.Requests /= 100
		hundredth.Limits = []int64{30, 60, 120, 300, 600}
		s.Stages = append(s.Stages, hundredth)
	}
	return s
}

func boundaryScenario() Scenario {
	return Scenario{
		Name: "boundary",
		Doc: "One client sends 100 requests in the last second of a minute and 100 in the first of the next; the limit is 100 a minute. " +
			"A fixed window lets all 200 through within two seconds, the counter one too many, the log none.",
		Stages: []Stage{{
			Pattern: "at:59s..60s*100,60s..61s*100", Clients: 1, PerWindow: 100, Limits: []int64{100}, Window: minute, Span: 2 * minute,
			Seed: 1, Algorithms: []string{"log", "counter", "fixed"},
		}},
	}
}

func twoLimitsScenario() Scenario {
	return Scenario{
		Name: "two-limits",
		Doc: "Adversaries who know the limit of 100 a minute and when its windows begin send 100 requests at the end of one and then as " +
			"many as are let through in the next: against the counter and the log alone, and together with a second limit of 10 a second.",
		Stages: []Stage{{
			Pattern: "end", Clients: 100, Load: 0.5, Limits: []int64{100}, Window: minute, Span: 60 * minute, Seed: 1,
			Algorithms: []string{"counter@100/1m", "multi:counter@100/1m+counter@10/1s", "log@100/1m", "multi:log@100/1m+log@10/1s"},
		}},
	}
}

func worstCaseScenario() Scenario {
	return Scenario{
		Name: "worst-case",
		Doc: "One client sends each algorithm the arrivals that make it admit the most that its rule can give within one window: the peak " +
			"beside the bound. The limit is 100 a minute.",
		Stages: []Stage{{
			Pattern: "worst", Clients: 1, Load: 1, Limits: []int64{100}, Window: minute, Span: 60 * minute, Seed: 1,
			Algorithms: slices.Clone(worstCaseAlgorithms),
		}},
	}
}

var worstCaseAlgorithms = []string{
	"log", "log:open", "counter", "counter:align=first", "counter:count=all", "buckets:4", "buckets:10", "fixed", "fixed:align=restart",
	"gcra", "gcra:burst=20", "token-bucket", "leaky-bucket",
}
