package results

// A Decision is one request of an explicit list of arrivals and what each contestant made of it.
type Decision struct {
	TNS  int64              `json:"t_ns"`
	Key  string             `json:"key"`
	Cost int64              `json:"cost"`
	By   map[string]Verdict `json:"by"` // by the contestant's spec, as in Algorithm.Name
}

// A Verdict is one contestant's answer to one request, and what it held against the client just before.
//
// The count is exactly Whole + Part*Num/Window cost units, Window being the one that the contestant is judged by. A
// contestant that counts nothing (gcra) has a null Count, and zeros for the three.
type Verdict struct {
	Admitted bool     `json:"admitted"`
	Count    *float64 `json:"count"`
	Whole    int64    `json:"whole"`
	Part     int64    `json:"part"`
	Num      int64    `json:"num"`
}

// NewVerdict is the Verdict of a contestant that counts: whole + part*num/window cost units before deciding.
func NewVerdict(admitted bool, whole, part, num, window int64) Verdict {
	count := float64(whole)
	if part != 0 && num != 0 {
		count += float64(part) * float64(num) / float64(window)
	}
	return Verdict{Admitted: admitted, Count: &count, Whole: whole, Part: part, Num: num}
}
