// Package plot draws result files.
package plot

import "github.com/rlbench/rlbench/results"

func Write(dir string, f *results.File) ([]string, error) { return nil, nil }
