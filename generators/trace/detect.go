package trace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const (
	headLines  = 1000 // that are looked at to tell the format
	enoughHead = 100  // lines, so that no further block is read for more
	headBlocks = 4
)

// readHead reads the first blocks of a file that have lines to tell the format from; blocks before them are sent. ok is
// false if ctx is done.
func (s *stream) readHead(file int, src *source) (head []*block, ok bool) {
	usable := 0
	for len(head) < headBlocks && usable < enoughHead && src.err == nil {
		b := s.next(file, src)
		if b == nil {
			return nil, false
		}
		n := len(usableLines(nil, b.data, enoughHead))
		usable += n
		if n > 0 || len(head) > 0 {
			head = append(head, b)
		} else if b.parser = (empty{}); !s.send(b) {
			return nil, false
		}
	}
	return head, true
}

// usableLines appends the lines of data that are neither blank nor comments, until there are most of them.
func usableLines(list [][]byte, data []byte, most int) [][]byte {
	for len(data) > 0 && len(list) < most {
		var line []byte
		line, data = cutLine(data)
		if !isIgnored(line) {
			list = append(list, line)
		}
	}
	return list
}

// choose makes the reader of a file, detecting its format unless it was given. Files must agree.
func (s *stream) choose(name string, blocks []*block) (parser, error) {
	var raw [][]byte
	for _, b := range blocks {
		raw = usableLines(raw, b.data, headLines)
	}
	head, usable := insideOf(raw, blocks)
	if usable == 0 {
		return empty{}, nil
	}
	if wanted := s.options.Format; wanted == "" || wanted == "auto" {
		found, err := detect(head, &s.options, s.before)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", displayName(name), err)
		case found == nil:
			return nil, fmt.Errorf("%s: no format recognised in the first %s: name it with --format (%s), or as a line with named fields such as $client",
				displayName(name), plural(usable, "line"), strings.Join(formatNames(), ", "))
		case s.format != nil && s.format != found:
			return nil, fmt.Errorf("%s is %s, the files before it are %s: read them apart, or name one with --format",
				displayName(name), found.Name, s.format.Name)
		}
		s.format = found
	}
	p, err := s.format.open(head, &s.options, s.before)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", displayName(name), err)
	}
	s.before = p
	rd, err := newReader(p, s.format, &s.options, head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", displayName(name), err)
	}
	return rd, nil
}

// insideOf takes the wrappers off lines, and puts the first #Fields line of a file where it stands among them, before them or
// behind them. It returns how many others there are.
func insideOf(raw [][]byte, blocks []*block) (head [][]byte, usable int) {
	columns, leads := firstColumns(blocks)
	if leads && columns != nil {
		head, columns = append(head, columns), nil
	}
	var r record
	for _, line := range raw {
		if mayBeWrapped(line) {
			inner, goesOn := unwrap(line, &r)
			if goesOn || isIgnored(inner) && !bytes.HasPrefix(inner, fieldsMark) {
				continue
			}
			line = bytes.Clone(inner) // it may be in scratch memory
		}
		head = append(head, line)
		usable++
	}
	if columns != nil {
		head = append(head, columns)
	}
	return head, usable
}

// firstColumns returns the first line that begins with #Fields, nil if there is none, and whether no line but comments stands
// before it.
func firstColumns(blocks []*block) (columns []byte, leads bool) {
	leads = true
	for _, b := range blocks {
		for data := b.data; len(data) > 0; {
			var line []byte
			if line, data = cutLine(data); bytes.HasPrefix(line, fieldsMark) {
				return line, leads
			}
			leads = leads && isIgnored(line)
		}
	}
	return nil, leads
}

// detect returns the format that most lines fit, each the first in the table that it does; nil if none fits any. Lines that
// fit no format count for nothing, but a second format with more than a tenth of the first's lines is an error, unless it
// is a more general one that reads them all.
func detect(head [][]byte, o *Options, before parser) (*Format, error) {
	var first error
	parsers := make([]parser, len(Formats))
	for i := range Formats {
		p, err := Formats[i].open(head, o, before)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		parsers[i] = p
	}
	fits := make([]int, len(Formats))
	best := 0
	var r record
	for _, line := range head {
		for i, p := range parsers {
			if p != nil && p.fits(line, &r) {
				fits[i]++
				break
			}
		}
	}
	for i := range Formats {
		general := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == Formats[i].general })
		if general >= 0 && fits[general] > fits[i]/10 {
			fits[general] += fits[i]
			fits[i] = 0
		}
	}
	for i, n := range fits {
		if n > fits[best] {
			best = i
		}
	}
	if fits[best] == 0 {
		return nil, first
	}
	for i, n := range fits {
		if i != best && n > fits[best]/10 {
			return nil, fmt.Errorf("%s look like %s and %s like %s: name the format with --format %s or --format %s",
				plural(fits[best], "line"), Formats[best].Name, plural(n, "line"), Formats[i].Name, Formats[best].Name, Formats[i].Name)
		}
	}
	return &Formats[best], nil
}

// empty is the parser of lines that are all blank or comments.
type empty struct{}

func (empty) parse([]byte, *record) verdict { return noTime }
func (empty) fits([]byte, *record) bool     { return false }
func (empty) field(string) getter           { return nil }
func (empty) fields() []string              { return nil }

func displayName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// cutLine takes the first line off data, and the line end off the line.
func cutLine(data []byte) (line, rest []byte) {
	n := bytes.IndexByte(data, '\n')
	if n < 0 {
		line = data
	} else {
		line, rest = data[:n], data[n+1:]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}

// isIgnored reports whether a line is blank or a comment.
func isIgnored(line []byte) bool {
	if len(line) > 0 && line[0] != '#' && line[0] > ' ' {
		return false
	}
	return len(line) == 0 || line[0] == '#' || len(bytes.Trim(line, " \t\r")) == 0
}
