package trace

import (
	"bytes"
)

// A reader reads the lines of one file: it takes wrappers off, has its format's parser read what is inside, and then takes from the
// request what the options ask for.
type reader struct {
	parser
	selection *selection // nil if there is nothing to take
	own       bool       // whether the format is the user's own, who may have taken a wrapper into it
	usual     bool       // whether record.usual says that a line had no wrapper

	client, forwards bool // whether the key is the client, and whether lines have X-Forwarded-For
	warnings         []string
}

func (p *reader) parse(line []byte, r *record) verdict {
	if why := p.parseFormat(line, r); why != request {
		return why
	}
	if p.selection != nil {
		if why := p.selection.apply(r); why != request {
			return why
		}
	}
	if len(r.key) == 0 {
		return noClient
	}
	return request
}

func (p *reader) parseFormat(line []byte, r *record) verdict {
	if p.usual && line[0] != '{' && line[0] != '<' {
		if why := p.parser.parse(line, r); why == request && r.usual {
			return request
		}
	}
	r.program = nil
	if mayBeWrapped(line) {
		return p.parseWrapped(line, r)
	}
	return p.parser.parse(line, r)
}

func (p *reader) parseWrapped(line []byte, r *record) verdict {
	inner, goesOn := unwrap(line, r)
	switch {
	case goesOn:
		return ignored
	case isIgnored(inner):
		p.comment(inner, r)
		return ignored
	}
	why := p.parser.parse(inner, r)
	if p.own && why != request {
		return p.parser.parse(line, r)
	}
	return why
}

// comment looks at a comment, which may name the columns of the lines that follow.
func (p *reader) comment(line []byte, r *record) {
	if _, ok := p.parser.(*w3c); ok && bytes.HasPrefix(line, fieldsMark) {
		r.columns = readColumns(line)
	}
}

// after returns the parser of a file's next block, given the block that was read before it with p.
func after(p parser, data []byte) parser {
	rd, ok := p.(*reader)
	if !ok {
		return p
	}
	w, ok := rd.parser.(*w3c)
	if !ok {
		return p
	}
	next := *rd
	next.parser = w.after(data)
	return &next
}

// remember keeps what a file's last lines meant, for the next file.
func (s *stream) remember(p parser) {
	if rd, ok := p.(*reader); ok {
		s.before = rd.parser
	}
}

// newReader makes the reader of a file from its format's parser.
func newReader(p parser, f *Format, o *Options, head [][]byte) (*reader, error) {
	selection, err := newSelection(p, f, o, head)
	if err != nil {
		return nil, err
	}
	rd := &reader{parser: p, selection: selection}
	switch p.(type) {
	case *layout:
		rd.own = true
	case clf, combined, combinedExt, traefikCLF:
		rd.usual = true
	}
	rd.client = isClient(o.key) && separated(p) == nil
	_, err = findField(p, f, "forwarded", "", head)
	rd.forwards = err == nil
	rd.warnings = rd.headWarnings(head, o)
	return rd, nil
}
