package generators

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Spread is how the mean rates of a population's clients differ: each client's rate is the population's mean times a
// factor whose own mean is 1.
type Spread struct {
	Name     string
	Args     string // as written behind the name, "(sigma)"; "" if there are none
	Doc      string // to be read after "rates are"
	Examples []string

	say func(arg string) string // the Doc with the argument filled in

	// New checks the argument, which is 0 where Args is "", and returns the factor of a client among n.
	New func(arg float64, n int64) (func(client int64, r *rand.PCG) float64, error)
}

// Spreads lists all spreads of rates.
var Spreads = []Spread{
	{
		Name: "constant", Doc: "all equal", say: func(string) string { return "all equal" }, Examples: []string{"constant"},
		New: func(float64, int64) (func(int64, *rand.PCG) float64, error) {
			return func(int64, *rand.PCG) float64 { return 1 }, nil
		},
	},
	{
		Name: "lognormal", Args: "(sigma)", Doc: "lognormal: e^(sigma*z-sigma^2/2) with z standard normal",
		say:      func(sigma string) string { return "spread lognormally with sigma " + sigma },
		Examples: []string{"lognormal(0.8)"}, New: lognormal,
	},
	{
		Name: "pareto", Args: "(alpha)", Doc: "pareto with tail exponent alpha: (alpha-1)/alpha * u^(-1/alpha) with u uniform in (0, 1)",
		say:      func(alpha string) string { return "spread by a Pareto law with tail exponent " + alpha },
		Examples: []string{"pareto(1.5)"}, New: pareto,
	},
	{
		Name: "zipf", Args: "(s)", Doc: "zipf: client number k has a rate in proportion to (k+1)^-s",
		say:      func(s string) string { return "spread by Zipf's law with exponent " + s },
		Examples: []string{"zipf(1)"}, New: zipf,
	},
}

func lognormal(sigma float64, _ int64) (func(int64, *rand.PCG) float64, error) {
	if !(sigma >= 0 && sigma <= 5) {
		return nil, errors.New("sigma must lie between 0 and 5")
	}
	return func(_ int64, r *rand.PCG) float64 {
		return exp(float64(sigma*normal(r)) - float64(sigma*sigma)/2)
	}, nil
}

func pareto(alpha float64, _ int64) (func(int64, *rand.PCG) float64, error) {
	if !(alpha > 1 && alpha <= 1000) {
		return nil, errors.New("alpha must lie above 1, for the mean to exist, and be 1000 at most")
	}
	return func(_ int64, r *rand.PCG) float64 { // u^(-1/alpha) = e^(E/alpha) with E exponential
		return (alpha - 1) / alpha * exp(exponential(r)/alpha)
	}, nil
}

func zipf(s float64, n int64) (func(int64, *rand.PCG) float64, error) {
	if !(s >= 0 && s <= 10) {
		return nil, errors.New("s must lie between 0 and 10")
	}
	first := float64(n) / harmonic(n, s)
	return func(client int64, _ *rand.PCG) float64 { return first * power(float64(client)+1, -s) }, nil
}

// power returns x^y for x > 0.
func power(x, y float64) float64 { return exp(float64(y * log(x))) }

// harmonic returns the sum of k^-s over k = 1..n: term by term to 1000, then by the formula of Euler and Maclaurin, whose
// first term left out is below 1e-16 of the sum.
func harmonic(n int64, s float64) float64 {
	const exact = 1000
	sum := 0.0
	for k := min(n, exact); k >= 1; k-- {
		sum += power(float64(k), -s)
	}
	if n <= exact {
		return sum
	}
	a, b := float64(exact), float64(n)
	fa, fb := power(a, -s), power(b, -s)
	ratio := log(b / a)
	integral := float64(float64(a*fa) * float64(ratio*expm1Ratio(float64((1-s)*ratio))))
	return sum + integral + (fb-fa)/2 + float64(s*(fa/a-fb/b))/12
}

// parseSpread reads NAME or NAME(NUMBER) for a population of n clients; "" is constant.
func parseSpread(text string, n int64) (*Spread, func(int64, *rand.PCG) float64, error) {
	if text == "" {
		text = Spreads[0].Name
	}
	name, arg, given := strings.Cut(text, "(")
	for i := range Spreads {
		p := &Spreads[i]
		if p.Name != name {
			continue
		}
		value, err := 0.0, error(nil)
		inner, closed := strings.CutSuffix(arg, ")")
		if given != (p.Args != "") || given != closed {
			return nil, nil, fmt.Errorf("rates %q: write %s%s, for example %s", text, p.Name, p.Args, p.Examples[0])
		}
		if given {
			if value, err = parseNumber(inner); err != nil {
				return nil, nil, fmt.Errorf("rates %q: %w: write %s%s, for example %s", text, err, p.Name, p.Args, p.Examples[0])
			}
		}
		factor, err := p.New(value, n)
		if err != nil {
			return nil, nil, fmt.Errorf("rates %q: %w", text, err)
		}
		return p, factor, nil
	}
	var known, forms []string
	for _, p := range Spreads {
		known, forms = append(known, p.Name), append(forms, p.Name+p.Args)
	}
	return nil, nil, fmt.Errorf("rates %q are not known: did you mean %s? (there are %s)", text, nearest(name, known), strings.Join(forms, ", "))
}
