package trace

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	logFormat     = regexp.MustCompile(`(?s)^\s*log_format\s+\S+\s+(?:escape=\S+\s+)?`)
	nginxString   = regexp.MustCompile(`(?s)'([^']*)'`)
	nginxStrings  = regexp.MustCompile(`(?s)^\s*'[^']*'(\s*'[^']*')*\s*;?\s*$`)
	nginxVariable = regexp.MustCompile(`\$(?:\{(\w+)\}|(\w+))`)

	apacheLogFormat = regexp.MustCompile(`(?s)^\s*LogFormat\s+"(.*)"\s*\w*\s*$`)
	apacheDirective = regexp.MustCompile(`%[!0-9,]*[<>]?(?:\{([^}]*)\})?(\^?[a-zA-Z%]+?)`)
)

// nginxTokens reads a layout whose fields are $name or ${name}: what stands behind log_format, or all of that statement.
func nginxTokens(text string) (list []token, err error) {
	if mark := logFormat.FindString(text); mark != "" {
		text = text[len(mark):]
	}
	if nginxStrings.MatchString(text) {
		var whole strings.Builder
		for _, part := range nginxString.FindAllStringSubmatch(text, -1) {
			whole.WriteString(part[1])
		}
		text = whole.String()
	}
	end := 0
	for _, m := range nginxVariable.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > end {
			list = append(list, token{text: text[end:m[0]]})
		}
		name := nginxVariable.FindStringSubmatch(text[m[0]:m[1]])
		list = append(list, token{name: name[1] + name[2]})
		end = m[1]
	}
	if end == 0 {
		return nil, fmt.Errorf("--format %q has no field such as $client", text)
	}
	if end < len(text) {
		list = append(list, token{text: text[end:]})
	}
	return list, nil
}

var apacheNames = map[string]string{
	"a": "client", "h": "client", "l": "ident", "u": "user", "t": "time", "r": "request", "s": "status", "b": "bytes", "B": "bytes", "O": "bytes",
	"I": "received", "v": "host", "V": "host", "p": "port", "U": "path", "q": "query", "m": "method", "H": "protocol", "D": "duration_us", "T": "duration",
}

// apacheTokens reads a layout of Apache's directives: what stands behind LogFormat, or all of that line.
func apacheTokens(text string) (list []token, err error) {
	if m := apacheLogFormat.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = strings.NewReplacer(`\"`, `"`, `\t`, "\t", `\\`, `\`).Replace(text)
	end, fields := 0, 0
	for _, m := range apacheDirective.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > end {
			list = append(list, token{text: text[end:m[0]]})
		}
		d := apacheDirective.FindStringSubmatch(text[m[0]:m[1]])
		end = m[1]
		if d[2] == "%" {
			list = append(list, token{text: "%"})
			continue
		}
		fields++
		list = joinTimes(append(list, token{name: apacheName(d[2], d[1])}))
	}
	if fields == 0 {
		return nil, fmt.Errorf("--format %q has no field such as %%h", text)
	}
	if end < len(text) {
		list = append(list, token{text: text[end:]})
	}
	return list, nil
}

// apacheName names a directive: %h, or %{argument}i.
func apacheName(letter, argument string) string {
	switch {
	case letter == "i":
		return "header:" + strings.ToLower(argument)
	case letter == "t" && argument != "":
		return "time"
	case argument != "" && letter != "a" && letter != "T":
		return argument
	case letter == "a" && argument == "c":
		return "peer"
	}
	if name, ok := apacheNames[letter]; ok {
		return name
	}
	return letter
}

// joinTimes makes one field of times that only a point, a colon or a blank keeps apart, as in %{%d/%b/%Y:%T}t.%{usec_frac}t %{%z}t.
func joinTimes(list []token) []token {
	n := len(list)
	if n > 2 && list[n-1].name == "time" && list[n-3].name == "time" && strings.Trim(list[n-2].text, ".:, T") == "" {
		return list[:n-2]
	}
	return list
}
