package generators

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/rlbench/rlbench/internal/units"
)

// scenarioFile is a scenario as TOML. Quantities are strings as on the command line, or plain numbers.
type scenarioFile struct {
	Name  string      `toml:"name"`
	Doc   string      `toml:"doc"`
	Stage []stageFile `toml:"stage"`
}

type stageFile struct {
	Label      string   `toml:"label"`
	Pattern    string   `toml:"pattern"`
	Rates      string   `toml:"rates"`
	Clients    any      `toml:"clients"`
	Load       any      `toml:"load"`
	PerWindow  any      `toml:"per_window"`
	Requests   any      `toml:"requests"`
	Limit      any      `toml:"limit"`
	Window     any      `toml:"window"`
	Span       any      `toml:"span"`
	Seed       any      `toml:"seed"`
	Algorithms []string `toml:"algorithms"`
}

var (
	fileKeys  = []string{"name", "doc", "stage"}
	stageKeys = []string{"label", "pattern", "rates", "clients", "load", "per_window", "requests", "limit", "window", "span", "seed", "algorithms"}
)

// What a stage of a file has unless it says otherwise; a span of that many windows.
const (
	fileClients = 1000
	fileLimit   = 100
	fileWindows = 60
)

var fileAlgorithms = []string{"log", "counter", "fixed", "gcra"}

func readScenario(name string) (Scenario, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario file: %w", err)
	}
	return LoadScenario(name, data)
}

// LoadScenario reads a scenario file; the package comment describes its format. name is the file's, for errors, and the
// scenario's if the file does not give one. Errors name the file, the line and what would be right.
func LoadScenario(name string, data []byte) (Scenario, error) {
	var file scenarioFile
	decoder := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return Scenario{}, fileError(name, err)
	}
	s := Scenario{Name: file.Name, Doc: file.Doc}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(name), ".toml")
	}
	if len(file.Stage) == 0 {
		return Scenario{}, fmt.Errorf("%s: no [[stage]]: a scenario has at least one", name)
	}
	lines := linesOf(data)
	for i := range file.Stage {
		stage, key, err := file.Stage[i].stage()
		if err == nil {
			key, err = stage.fault()
		}
		if err != nil {
			return Scenario{}, fmt.Errorf("%s:%d: stage %d: %w", name, lines.of(i, key), i+1, err)
		}
		s.Stages = append(s.Stages, stage)
	}
	return s.check()
}

// stage reads the quantities. The key is the one that an error is about, "" if it is about the whole stage.
func (f *stageFile) stage() (s Stage, key string, err error) {
	s = Stage{
		Label: f.Label, Pattern: f.Pattern, Rates: f.Rates, Clients: fileClients, Limits: []int64{fileLimit}, Window: minute, Seed: 1,
		Algorithms: f.Algorithms,
	}
	if f.Algorithms == nil {
		s.Algorithms = fileAlgorithms
	}
	if f.Seed != nil {
		if s.Seed, err = readSeed(f.Seed); err != nil {
			return s, "seed", fmt.Errorf("seed: %w", err)
		}
	}
	for _, q := range []struct {
		key   string
		value any
		read  func(any) error
	}{
		{"clients", f.Clients, into(&s.Clients, readCount)},
		{"limit", f.Limit, into(&s.Limits, readLimits)},
		{"window", f.Window, into(&s.Window, readDuration)},
		{"load", f.Load, into(&s.Load, readShare)},
		{"per_window", f.PerWindow, into(&s.PerWindow, readShare)},
		{"requests", f.Requests, into(&s.Requests, readTotal)},
		{"span", f.Span, into(&s.Span, readDuration)},
	} {
		if q.value == nil {
			continue
		}
		if err := q.read(q.value); err != nil {
			return s, q.key, fmt.Errorf("%s: %w", q.key, err)
		}
	}
	if f.Span == nil {
		if s.Window > math.MaxInt64/fileWindows {
			return s, "window", fmt.Errorf("span: %d windows of %s last longer than 292 years: give a span", fileWindows, units.FormatDuration(s.Window))
		}
		s.Span = fileWindows * s.Window
	}
	return s, "", nil
}

// fault returns what is wrong with a stage, and under which key as far as it is one.
func (s Stage) fault() (key string, err error) {
	if _, err := parseMix(s.Pattern); s.Pattern != "" && err != nil {
		return "pattern", err
	}
	if _, _, err := parseSpread(s.Rates, s.Clients); err != nil {
		return "rates", err
	}
	_, err = s.Workload()
	return "", err
}

// into stores what read makes of a value.
func into[T any](target *T, read func(any) (T, error)) func(any) error {
	return func(value any) error {
		x, err := read(value)
		*target = x
		return err
	}
}

func readCount(value any) (int64, error) {
	switch v := value.(type) {
	case int64:
		if v < 1 {
			return 0, fmt.Errorf("%d must be at least 1", v)
		}
		return v, nil
	case float64: // 1e6 is a float in TOML
		if v >= 1 && v < 1<<63 && v == math.Floor(v) {
			return int64(v), nil
		}
	case string:
		n, err := units.ParseCount(v)
		if err == nil && n < 1 {
			err = fmt.Errorf("%q must be at least 1", v)
		}
		return n, err
	}
	return 0, fmt.Errorf("%v is not a whole number such as 100, 1e6 or \"10k\"", value)
}

func readSeed(value any) (uint64, error) {
	switch v := value.(type) {
	case int64:
		if v >= 0 {
			return uint64(v), nil
		}
	case string:
		if n, err := strconv.ParseUint(v, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%v is not a whole number from 0 to %d (in quotes from %d on)", value, uint64(math.MaxUint64), uint64(1<<63))
}

func readTotal(value any) (float64, error) {
	n, err := readCount(value)
	return float64(n), err
}

// readLimits takes one limit or a list of them.
func readLimits(value any) ([]int64, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	if len(list) == 0 {
		return nil, errors.New("an empty list: give at least one limit")
	}
	limits := make([]int64, len(list))
	for i, v := range list {
		var err error
		if limits[i], err = readCount(v); err != nil {
			return nil, err
		}
	}
	return limits, nil
}

func readDuration(value any) (int64, error) {
	text, ok := value.(string)
	if !ok {
		return 0, fmt.Errorf("%v has no unit: write a duration such as \"60s\" or \"1h\", in quotes", value)
	}
	ns, err := units.ParseDuration(text)
	if err == nil && ns < 1 {
		err = fmt.Errorf("%q must be above 0", text)
	}
	return ns, err
}

func readShare(value any) (float64, error) {
	x := 0.0
	switch v := value.(type) {
	case int64:
		x = float64(v)
	case float64:
		x = v
	default:
		return 0, fmt.Errorf("%v is not a number such as 0.9", value)
	}
	if !(x > 0 && x <= math.MaxFloat64) {
		return 0, fmt.Errorf("%v must be above 0", value)
	}
	return x, nil
}

// fileError says where the file is wrong.
func fileError(name string, err error) error {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) && len(missing.Errors) > 0 {
		first := &missing.Errors[0]
		key := first.Key()
		known := fileKeys
		if len(key) > 1 && key[0] == "stage" {
			known = stageKeys
		}
		line, _ := first.Position()
		last := key[len(key)-1]
		return fmt.Errorf("%s:%d: unknown key %q: did you mean %s? (there are %s)", name, line, last, nearest(last, known), strings.Join(known, ", "))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, column := wrong.Position()
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// stageLines are the lines of each stage's head and keys, "" being the head.
type stageLines []map[string]int

func (l stageLines) of(stage int, key string) int {
	if stage >= len(l) {
		return 1
	}
	if line, ok := l[stage][key]; ok {
		return line
	}
	return l[stage][""]
}

// linesOf finds the lines in a document that is known to decode.
func linesOf(data []byte) stageLines {
	var lines stageLines
	var p unstable.Parser
	p.Reset(data)
	inStage := false
	for p.NextExpression() {
		e := p.Expression()
		key := e.Key()
		if !key.Next() {
			continue
		}
		name := key.Node()
		line := p.Shape(name.Raw).Start.Line
		switch {
		case e.Kind == unstable.ArrayTable && string(name.Data) == "stage":
			lines = append(lines, map[string]int{"": line})
			inStage = true
		case e.Kind == unstable.Table:
			inStage = false
		case e.Kind == unstable.KeyValue && inStage:
			lines[len(lines)-1][string(name.Data)] = line
		}
	}
	return lines
}
