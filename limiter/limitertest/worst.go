package limitertest

// A Worst is the worst that was found.
type Worst struct{}

func (v *verification) worst() (*Worst, error) { return &Worst{}, nil }
