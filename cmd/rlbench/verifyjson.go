package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"

	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/results"
)

// verifySchema names the form of `rlbench verify --json`, which docs/conformance.md describes.
const verifySchema = "rlbench.verify/v1"

type verifyFile struct {
	Schema   string          `json:"schema"`
	Tool     results.Tool    `json:"tool"`
	Command  []string        `json:"command"`
	Limiters []verifyLimiter `json:"limiters"`
}

type verifyLimiter struct {
	Spec     string        `json:"spec"`
	Limit    int64         `json:"limit"`
	WindowNS int64         `json:"window_ns"`
	Promise  string        `json:"promise"`
	Stated   bool          `json:"stated"`
	Named    *string       `json:"named"`
	Naming   *verifyNaming `json:"naming"`
	Verdict  string        `json:"verdict"`
	Error    string        `json:"error,omitempty"`
	Requests int64         `json:"requests"`
	Probes   []verifyProbe `json:"probes"`
	Worst    *verifyWorst  `json:"worst,omitempty"`
}

type verifyNaming struct {
	Rule      string         `json:"rule"`
	Sure      bool           `json:"sure"`
	Kind      string         `json:"kind"`
	Alike     []string       `json:"alike"`
	Rules     int            `json:"rules"`
	Decisions int            `json:"decisions"`
	Rival     string         `json:"rival"`
	Told      *verifyExample `json:"told"`
}

type verifyProbe struct {
	Name           string         `json:"name"`
	Verdict        string         `json:"verdict"`
	Sequences      int            `json:"sequences"`
	Reason         string         `json:"reason"`
	Kind           string         `json:"kind"`
	Direction      string         `json:"direction"`
	Like           string         `json:"like"`
	Why            string         `json:"why"`
	Counterexample *verifyExample `json:"counterexample"`
}

type verifyExample struct {
	Note     string       `json:"note"`
	Limit    int64        `json:"limit"`
	WindowNS int64        `json:"window_ns"`
	Steps    []verifyStep `json:"steps"`
	Timeline string       `json:"timeline"`
	GoTest   string       `json:"go_test"`
}

type verifyStep struct {
	TNS      int64  `json:"t_ns"`
	Key      string `json:"key"`
	Cost     int64  `json:"cost"`
	Requests int    `json:"requests"`
	Promised int    `json:"promised"`
	Answered int    `json:"answered"`
}

func encodeVerified(w io.Writer, tool results.Tool, command []string, all []verified) error {
	file := verifyFile{Schema: verifySchema, Tool: tool, Command: command, Limiters: []verifyLimiter{}}
	for i := range all {
		file.Limiters = append(file.Limiters, verifyEntry(&all[i]))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(file)
}

func verifyEntry(v *verified) verifyLimiter {
	r := &v.report
	l := verifyLimiter{
		Spec: v.spec.String(), Limit: v.limit.Max, WindowNS: v.limit.Window, Promise: r.Promise, Stated: r.Stated,
		Verdict: r.Verdict, Requests: r.Requests, Probes: []verifyProbe{},
	}
	if v.err != nil {
		l.Verdict, l.Error = limitertest.Undecided, v.err.Error()
	}
	if n := r.Named; n != nil && n.Rule != "" {
		if n.Sure {
			l.Named = &n.Rule
		}
		l.Naming = &verifyNaming{
			Rule: n.Rule, Sure: n.Sure, Kind: n.Kind, Alike: append([]string{}, n.Alike...), Rules: n.Rules, Decisions: n.Decisions,
			Rival: n.Rival, Told: exampleOf(n.Told),
		}
	}
	for _, p := range r.Probes {
		entry := verifyProbe{Name: p.Probe, Verdict: p.Verdict, Sequences: p.Trials, Reason: p.Reason}
		if f := p.Fault; f != nil {
			entry.Kind, entry.Direction, entry.Like, entry.Why = f.Kind, string(f.Direction), f.Like, f.Why
			entry.Counterexample = exampleOf(f.Counterexample)
		}
		l.Probes = append(l.Probes, entry)
	}
	l.Worst = worstOf(r.Worst)
	return l
}

func exampleOf(c limitertest.Counterexample) *verifyExample {
	if len(c.Steps) == 0 {
		return nil
	}
	e := &verifyExample{Note: c.Note, Limit: c.Limit.Max, WindowNS: c.Limit.Window, Timeline: c.Command(), GoTest: c.GoTest()}
	for _, s := range c.Steps {
		e.Steps = append(e.Steps, verifyStep{s.Time, s.Key, s.Cost, s.Requests, s.Promised, s.Answered})
	}
	return e
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitOutcome `xml:"failure"`
	Error   *junitOutcome `xml:"error"`
	Skipped *junitOutcome `xml:"skipped"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func encodeJUnit(w io.Writer, all []verified) error {
	var file junitSuites
	for i := range all {
		file.Suites = append(file.Suites, junitOf(&all[i]))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(file); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func junitOf(v *verified) junitSuite {
	s := junitSuite{Name: v.spec.String()}
	if v.err != nil {
		s.Tests, s.Errors = 1, 1
		s.Cases = []junitCase{{Name: "start", Class: s.Name, Error: &junitOutcome{Message: v.err.Error()}}}
		return s
	}
	for _, p := range v.report.Probes {
		c := junitCase{Name: p.Probe, Class: s.Name}
		switch {
		case p.Fault != nil:
			s.Failures++
			text := p.Fault.Why + "\n" + p.Fault.Counterexample.Table() + p.Fault.Counterexample.Command()
			c.Failure = &junitOutcome{Message: evidence(p), Text: text}
		case p.Verdict == limitertest.Skipped:
			s.Skipped++
			c.Skipped = &junitOutcome{Message: p.Reason}
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	if v.report.Verdict == limitertest.Breaks && s.Failures == 0 {
		s.Tests, s.Failures = s.Tests+1, 1
		s.Cases = append(s.Cases, junitCase{Name: "rule", Class: s.Name, Failure: &junitOutcome{Message: v.report.Named.String()}})
	}
	return s
}
