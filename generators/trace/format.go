package trace

// A Format is a kind of log.
type Format struct {
	Name    string
	Aliases []string // other names that Options.Format takes
	Doc     string   // what it is, in a sentence

	columns bool // whether Options choose among columns

	// open makes the parser of one file. head holds the file's first lines without blanks and comments, valid only during
	// the call; before is the parser of the file before, or nil. An error is about the options: a column that is not there.
	open func(head [][]byte, o *Options, before parser) (parser, error)
}

// Formats are the formats that Load reads, each in its own file.
var Formats = []Format{
	{Name: "csv", Aliases: []string{"events"}, Doc: "timestamp,key[,cost], header optional, # comments", columns: true, open: openCSV},
	{Name: "clf", Aliases: []string{"common"}, Doc: "common log format of web servers", open: openCLF},
	{Name: "combined", Doc: "common log format with referer and agent, the default of nginx and Apache", open: openCombined},
	{Name: "vhost-combined", Doc: "combined with host:port of the virtual host before the client", open: openVhostCombined},
}

// A parser reads the lines of one file. It does not change, so any number of goroutines use it at once.
type parser interface {
	// parse reads a line without its line end into r, or says why it is none. It leaves blank lines and comments to others.
	parse(line []byte, r *record) verdict

	// fits reports whether the line has all the marks of the format, so that it can't be one of another format. A
	// line that parse reads need not fit.
	fits(line []byte, r *record) bool
}

// A record is one request, and the scratch memory of its reader.
type record struct {
	key  []byte // part of the line, or scratch; valid until the next line
	time int64  // Unix nanoseconds
	cost int64  // at least 0

	day    day
	fields fields
}

// A verdict on a line: a request, no request, or why it can't be read.
type verdict uint8

const (
	request verdict = iota
	ignored
	noClient
	noTime
	noOffset
	shortYear
	numericMonth
	badTime
	farTime
	noRequest
	isVhost
	notVhost
	noColumn
	badQuote
	openQuote
	badCost
	tooLong
	cutOff
)

var reasons = [...]string{
	noClient:     "no client",
	noTime:       "no time",
	noOffset:     "no UTC offset behind the time",
	shortYear:    "a year without four digits",
	numericMonth: "a month that is not Jan to Dec",
	badTime:      "no such date or time",
	farTime:      "a time outside 64 bits of nanoseconds (1677 to 2262)",
	noRequest:    "no quoted request behind the time",
	isVhost:      "a virtual host before the client (see --format vhost-combined)",
	notVhost:     "no virtual host before the client (see --format combined)",
	noColumn:     "too few columns",
	badQuote:     "a quote out of place",
	openQuote:    "a quoted field that does not end on its line",
	badCost:      "a cost that is not a whole number from 0 to 2^63-1",
	tooLong:      "more bytes than 1 MiB",
	cutOff:       "no line end before the input broke off",
}

func formatNamed(name string) *Format {
	for i := range Formats {
		f := &Formats[i]
		if f.Name == name {
			return f
		}
		for _, alias := range f.Aliases {
			if alias == name {
				return f
			}
		}
	}
	return nil
}

func formatNames() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}
