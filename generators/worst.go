package generators

// worst: the arrivals that make the contestant admit the most that its rule can give in one window, as the contestant itself
// tells them, once, from time 0 on. A contestant without such arrivals gets no request.
var worstPattern = Pattern{
	Name:     "worst",
	Doc:      "at the times that are worst for each limiter",
	Closed:   true,
	worst:    true,
	scripted: true,
	Examples: []string{"worst"},
	New:      plain(func() Source { return &worst{} }),
}

type worst struct{ given }

func (w *worst) Start(c Client) {
	w.all = c.Worst
	for len(w.all) > 0 && w.all[0] < 0 {
		w.all = w.all[1:]
	}
	w.given.Start(c)
}
