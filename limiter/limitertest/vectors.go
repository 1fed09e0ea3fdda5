package limitertest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
)

//go:embed vectors/*.json
var vectorFiles embed.FS

// A Vector is a published sequence with the right decisions; see vectors/README.md.
type Vector struct {
	Name    string       `json:"name"`
	Promise string       `json:"promise"`
	Limit   int64        `json:"limit"`
	Window  int64        `json:"window_ns"`
	Kind    string       `json:"kind"`
	Failure string       `json:"failure"`
	Steps   []VectorStep `json:"steps"`
}

// A VectorStep is some requests of one client at one instant, of which the first Admitted are to be admitted.
type VectorStep struct {
	Time     int64  `json:"t_ns"`
	Key      string `json:"key"`
	Cost     int64  `json:"cost"`
	Requests int    `json:"requests"`
	Admitted int    `json:"admitted"`
}

// vectorSchema names the form of the vectors' files.
const vectorSchema = "rlbench.vectors/v1"

// Vectors returns the published vectors, file by file.
func Vectors() ([]Vector, error) {
	names, err := fs.Glob(vectorFiles, "vectors/*.json")
	if err != nil {
		return nil, err
	}
	var all []Vector
	for _, name := range names {
		if name == "vectors/schema.json" {
			continue
		}
		data, err := vectorFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var file struct {
			Schema  string   `json:"schema"`
			Vectors []Vector `json:"vectors"`
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if file.Schema != vectorSchema {
			return nil, fmt.Errorf("%s: schema %q, want %q", name, file.Schema, vectorSchema)
		}
		all = append(all, file.Vectors...)
	}
	return all, nil
}
