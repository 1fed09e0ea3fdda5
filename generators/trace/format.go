package trace

import "strings"

// A Format is a kind of log.
type Format struct {
	Name    string
	Aliases []string // other names that Options.Format takes
	Doc     string   // what it is, in a sentence

	// general is the name of a format that reads these lines too, but fewer of their fields.
	general string

	columns bool // whether open sees to Options.TimeField, KeyField and CostField as names of columns

	// open makes the parser of one file. head holds the file's first lines without wrappers, blanks and comments, but with
	// #Fields lines, valid only during the call; before is the parser of the file before, or nil. An error is about the
	// options: a column that is not there.
	open func(head [][]byte, o *Options, before parser) (parser, error)
}

// Formats are the formats that Load reads, each family in its own file. A line that fits several is told for the first of them.
var Formats = []Format{
	{Name: "caddy", Aliases: []string{"caddy-mixed-with-runtime", "docker-compose-prefix"}, Doc: "JSON lines of Caddy; other loggers' lines are passed over", open: openCaddy},
	{Name: "traefik-json", Doc: "JSON lines of Traefik", open: openTraefikJSON},
	{Name: "cloudflare", Doc: "JSON lines of Cloudflare Logpush, HTTP requests", open: openCloudflare},
	{Name: "gcp-lb", Doc: "JSON lines of Google Cloud load balancers, one object a line", open: openGCP},
	{Name: "zeek", Doc: "JSON lines of Zeek, the client being id.orig_h", open: openZeek},
	{Name: "envoy-default", Aliases: []string{"envoy-k8s-mixed", "envoy"}, Doc: "Envoy's default text, and JSON lines with Envoy's names", open: openEnvoy},
	{Name: "nginx-json", Aliases: []string{"nginx-json-default-escape", "json"}, Doc: "JSON lines named as nginx's variables are, or by --time and --key", columns: true, open: openNginxJSON},
	{Name: "traefik-clf", general: "combined", Doc: "combined of Traefik: count, router, server and duration behind the agent", open: openTraefikCLF},
	{Name: "nginx-combined-ext", general: "combined", Doc: "combined with X-Forwarded-For, quoted, behind the agent", open: openCombinedExt},
	{Name: "vhost-combined", Doc: "combined with host:port of the virtual host before the client", open: openVhostCombined},
	{Name: "combined", Aliases: []string{"wrapped-combined"}, Doc: "common log format with referer and agent, the default of nginx and Apache", open: openCombined},
	{Name: "clf", Aliases: []string{"common", "clf-hostnames", "apache-usec"}, Doc: "common log format of web servers", open: openCLF},
	{Name: "haproxy-http", Doc: "HAProxy's HTTP log", open: openHAProxy},
	{Name: "aws-alb", Doc: "AWS application load balancer", open: openALB},
	{Name: "squid", Doc: "Squid's native access log", open: openSquid},
	{Name: "aws-cloudfront", Doc: "AWS CloudFront standard log, by its #Fields", open: openCloudFront},
	{Name: "w3c-advanced", Doc: "W3C extended with local times, as of IIS Advanced Logging, by its #Fields", open: openW3CLocal},
	{Name: "iis-w3c", Aliases: []string{"w3c"}, Doc: "W3C extended, as of IIS, by its #Fields", open: openW3C},
	{Name: "apache-csv", Doc: "Apache as CSV: client in column 3, [time] in column 6, backslashes in quotes", open: openApacheCSV},
	{Name: "csv", Aliases: []string{"events", "events-epoch", "events-epoch-ms", "events-cost"}, Doc: "timestamp,key[,cost], header optional, # comments; commas, semicolons or tabs", columns: true, open: openCSV},
	{Name: "tsv", Doc: "the same with tabs", columns: true, open: openTSV},
}

// A parser reads the lines of one file. It does not change, so any number of goroutines use it at once.
type parser interface {
	// parse reads a line without its line end into r, or says why it is none. It leaves blank lines and comments to
	// others. A request without a client has an empty key.
	parse(line []byte, r *record) verdict

	// fits reports whether the line has all the marks of the format, so that it can't be one of another format. A
	// line that parse reads need not fit.
	fits(line []byte, r *record) bool

	// field returns what gets a field by its name, nil if there is none.
	field(name string) getter

	// fields returns the names of fields, for messages. There may be more.
	fields() []string
}

// A getter returns a field of the line that was parsed into r; empty if the line does not have it. The bytes are valid until
// the next line.
type getter func(r *record) []byte

// A record is one request, and the scratch memory of its reader.
type record struct {
	key  []byte // part of the line, or scratch; valid until the next line
	time int64  // Unix nanoseconds
	cost int64  // at least 0

	line     []byte // without its wrappers
	host     []byte // the virtual host before a client
	rest     []byte // what follows the quote that begins a request
	program  []byte // that a wrapper names
	filtered bool   // a request that --where leaves out
	usual    bool   // the client is followed by " - - [" as in most logs, which no wrapper has

	day     day
	fields  fields
	address []byte // scratch for a client's text
	joined  []byte // scratch for a key of several fields
	pending [2][]byte
	columns *w3cColumns // since the last #Fields line of the block
}

// A verdict on a line: a request, no request, or why it can't be read.
type verdict uint8

const (
	request verdict = iota
	ignored
	noClient
	noKey
	noTime
	noOffset
	shortYear
	numericMonth
	badTime
	farTime
	noRequest
	noAnswer
	noFields
	isVhost
	notVhost
	noColumn
	badQuote
	openQuote
	badCost
	notJSON
	hexEscape
	notFormat
	tooLong
	cutOff
)

var reasons = [...]string{
	noClient:     "no client",
	noKey:        "nothing in a field of the key",
	noTime:       "no time",
	noOffset:     "no UTC offset behind the time (--time-zone names one)",
	shortYear:    "a year without four digits",
	numericMonth: "a month that is not Jan to Dec",
	badTime:      "no such date or time",
	farTime:      "a time outside 64 bits of nanoseconds (1677 to 2262)",
	noRequest:    "no quoted request behind the time",
	noAnswer:     "neither status nor size",
	noFields:     "no #Fields line before it",
	isVhost:      "a virtual host before the client (see --format vhost-combined)",
	notVhost:     "no virtual host before the client (see --format combined)",
	noColumn:     "too few columns",
	badQuote:     "a quote out of place",
	openQuote:    "a quoted field that does not end on its line",
	badCost:      "a cost that is not a whole number from 0 to 2^63-1",
	notJSON:      "not a JSON object",
	hexEscape:    `not JSON: it has \x escapes (nginx: log_format with escape=json)`,
	notFormat:    "not of the format",
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

// isLayout reports whether the text of Options.Format is a line of named fields.
func isLayout(text string) bool { return strings.ContainsAny(text, "$%") }
