package generators

import (
	"math"
	"math/rand/v2"
)

// mix is a bijection of 64 bits whose every output bit depends on every input bit (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// The purposes that a client draws for. Each has its own stream, so that another spread of rates leaves the requests' random
// numbers as they are.
const (
	drawPattern = 1 + iota
	drawRate
	drawRequests
)

// clientSeed returns the two halves of a stream's seed: a function of the run's seed, the client and the purpose alone.
func clientSeed(seed uint64, client int64, purpose uint64) (uint64, uint64) {
	a := mix(seed + purpose*0x9e3779b97f4a7c15)
	b := mix(a ^ mix(uint64(client)+0x632be59bd9b4e019))
	return b, mix(b + a + 0xd1342543de82ef95)
}

// uniform01 turns 64 random bits into a number in [0, 1).
func uniform01(u uint64) float64 { return float64(u>>11) * 0x1p-53 }

// normal returns a standard normal variate, by the polar method.
func normal(r *rand.PCG) float64 {
	for {
		x, y := float64(2*uniform01(r.Uint64()))-1, float64(2*uniform01(r.Uint64()))-1
		if q := float64(x*x) + float64(y*y); q > 0 && q < 1 {
			return float64(x * math.Sqrt(float64(-2*log(q))/q))
		}
	}
}

// The ziggurat of Marsaglia and Tsang covers the exponential density by 256 layers of equal area. A draw picks a layer by 8
// of its bits and a place in it by 53 others; in 99 of 100 cases that place lies under the curve whatever its height.
const (
	zigguratTail = 7.69711747013104972     // where the lowest layer turns into the tail
	zigguratArea = 0.003949659822581557199 // of each layer
)

type layer struct {
	width float64 // of the layer, in units of 2^-53
	sure  int64   // places below this one are under the curve
}

// layers are what a draw needs first; heights are those of the density at the layers' outer edges, 1 for layer 0, which
// is the lowest one together with the tail.
var layers, heights = ziggurat()

func ziggurat() (layers [256]layer, heights [256]float64) {
	const places = 1 << 53
	outer := zigguratTail
	base := zigguratArea / exp(-outer)
	layers[0] = layer{width: base / places, sure: int64(float64(outer / base * places))}
	layers[255].width = outer / places
	heights[0], heights[255] = 1, exp(-outer)
	for i := 254; i >= 1; i-- { // layer 1 has no place that is surely under the curve
		inner := -log(zigguratArea/outer + heights[i+1])
		layers[i+1].sure = int64(float64(inner / outer * places))
		layers[i].width = inner / places
		heights[i] = exp(-inner)
		outer = inner
	}
	return layers, heights
}

// exponential returns an exponential variate of mean 1.
func exponential(r *rand.PCG) float64 {
	u := r.Uint64()
	l := &layers[u&255]
	place := int64(u >> 11)
	if place < l.sure {
		return float64(float64(place) * l.width)
	}
	return exponentialEdge(r, u)
}

// exponentialEdge goes on where the first draw did not settle it.
func exponentialEdge(r *rand.PCG, u uint64) float64 {
	beyond := 0.0
	for {
		i := u & 255
		place := int64(u >> 11)
		x := float64(float64(place) * layers[i].width)
		switch {
		case place < layers[i].sure:
			return beyond + x
		case i == 0: // the tail of an exponential is an exponential again
			beyond += zigguratTail
		case heights[i]+float64(uniform01(r.Uint64())*(heights[i-1]-heights[i])) < exp(-x):
			return beyond + x
		}
		u = r.Uint64()
	}
}
