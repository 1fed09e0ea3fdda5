package limitertest

// The kinds of faults. A fault that no probe can name is KindDiffers.
const (
	KindDiffers        = "differs-from-promise"
	KindCrash          = "crash"
	KindHang           = "hang"
	KindUnrepeatable   = "unrepeatable"
	KindOffByOneLow    = "off-by-one-low"
	KindOffByOneHigh   = "off-by-one-high"
	KindSameTime       = "same-timestamp-collision"
	KindStaleWindow    = "prev-window-stale"
	KindPrevIndex      = "prev-window-index"
	KindPrevTTL        = "prev-window-ttl"
	KindTruncated      = "weighted-count-truncated"
	KindRoundedToZero  = "rounded-to-zero"
	KindCountsRefused  = "rejected-counted"
	KindNeverSlides    = "never-slides"
	KindCountFirst     = "count-before-trim"
	KindBoundary       = "boundary-inclusive"
	KindBoundaryExpiry = "boundary-expiry"
	KindCost           = "cost"
	KindDropped        = "state-dropped-early"
	KindFixedInstead   = "fixed-instead-of-rolling"
	KindRefillSkipped  = "refill-skipped"
	KindTTLRefreshed   = "ttl-refreshed"
	KindTTLMissing     = "ttl-missing"
	KindUnit           = "unit-confusion"
	KindOverflow       = "overflow"
	KindRace           = "race"
	KindRewound        = "time-rewound"
	KindSetBack        = "clock-set-back"
	KindZero           = "zero-or-negative"
	KindCoarseClock    = "coarse-clock"
	KindFractionLost   = "fraction-lost"
	KindRefillStep     = "refill-step-convention"
	KindRefillFormula  = "wrong-refill-formula"
	KindLimitChanged   = "limit-changed"
	KindMultiLimit     = "multi-limit"
	KindKeys           = "key-mapping"
	KindAlignment      = "alignment"
	KindRetryAfter     = "retry-after"
	KindRemaining      = "remaining"
	KindLeak           = "memory-kept"
	KindAlgorithm      = "another-algorithm"
)

// A Direction says who suffers from a fault.
type Direction string

const (
	TooMuch   Direction = "lets too much through"
	TooLittle Direction = "refuses the innocent"
	Neither   Direction = "" // it answers wrongly, or not at all
)
