package trace

// Combined log format of several sites in one file, Apache's vhost_combined:
//
//	site:port client ident user [02/Jan/2006:15:04:05 -0700] "request" status size "referer" "agent"
//
// The site is not part of the key. A line is never read both with and without a site before the client: that would make
// one client of all of a site's.
type vhostCombined struct{ clfFields }

func openVhostCombined([][]byte, *Options, parser) (parser, error) { return vhostCombined{}, nil }

func (vhostCombined) parse(line []byte, r *record) verdict {
	_, why := parseCLF(line, r, true)
	return why
}

func (vhostCombined) fits(line []byte, r *record) bool {
	rest, why := parseCLF(line, r, true)
	if _, ok := cutCombined(rest); why != request || !ok || len(r.key) == 0 {
		return false
	}
	_, without := parseCLF(line, r, false)
	return without == isVhost
}

func (p vhostCombined) field(name string) getter {
	if name == "host" {
		return func(r *record) []byte { return r.host }
	}
	return p.clfFields.field(name)
}

func (p vhostCombined) fields() []string { return append(p.clfFields.fields(), "host") }
