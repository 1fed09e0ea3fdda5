package generators

import (
	"fmt"
	"math"
	"strings"
)

// A part is one pattern of a mix.
type part struct {
	pattern *Pattern
	text    string // the pattern as written
	source  func() Source
	weight  float64 // share of the clients
	upTo    float64 // sum of the weights up to and including this part's
}

// parseMix reads a pattern, or a mix of them:
//
//	mix = WEIGHT PATTERN { "+" WEIGHT PATTERN }
func parseMix(text string) ([]part, error) {
	pieces := strings.Split(text, "+")
	var parts []part
	sum := 0.0
	for _, piece := range pieces {
		piece = strings.TrimSpace(piece)
		if piece == "" {
			return nil, fmt.Errorf("pattern %q: an empty part: name a pattern such as poisson, or a mix such as \"0.99 poisson + 0.01 end\"", text)
		}
		p := part{weight: 1, text: piece}
		if weight, rest, ok := strings.Cut(piece, " "); ok {
			var err error
			if p.weight, err = parseNumber(weight); err != nil || !(p.weight >= 0 && p.weight <= 1) {
				return nil, fmt.Errorf("pattern %q: the weight %q is not a share between 0 and 1", text, weight)
			}
			p.text = strings.TrimSpace(rest)
		} else if len(pieces) > 1 {
			return nil, fmt.Errorf("pattern %q: no weight before %q: write for example \"0.99 poisson + 0.01 end\"", text, piece)
		}
		var err error
		if p.pattern, p.source, err = parsePattern(p.text); err != nil {
			return nil, err
		}
		sum += p.weight
		p.upTo = sum
		parts = append(parts, p)
	}
	if math.Abs(sum-1) > 1e-9 {
		return nil, fmt.Errorf("pattern %q: the weights add up to %g: make it 1", text, sum)
	}
	return parts, nil
}
