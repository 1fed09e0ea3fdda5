package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Encode writes the file as indented JSON, the same bytes for the same content.
func Encode(w io.Writer, f *File) error {
	f.Schema = Schema
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// Write writes the file beside path and renames it, so that path holds the old content or the new, never a half.
func Write(path string, f *File) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err := Encode(tmp, f); err != nil {
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// Read reads a result file. It refuses other files and those of a newer schema.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	f, err := Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading results: %s: %w", path, err)
	}
	return f, nil
}

// Decode reads a result file from r.
func Decode(r io.Reader) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, jsonError(data, err)
	}
	name, version, _ := strings.Cut(Schema, "/")
	gotName, gotVersion, _ := strings.Cut(head.Schema, "/")
	switch {
	case gotName != name:
		return nil, fmt.Errorf("not a result file of rlbench: schema is %q, want %q", head.Schema, Schema)
	case gotVersion != version:
		return nil, fmt.Errorf("schema %q is not known to this version, which reads %q: use the rlbench that wrote it", head.Schema, Schema)
	}
	f := new(File)
	if err := json.Unmarshal(data, f); err != nil {
		return nil, jsonError(data, err)
	}
	if f.Part != nil {
		if err := f.Part.check(len(f.Runs)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// jsonError adds the line to an error of encoding/json.
func jsonError(data []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) {
		offset = syntax.Offset
	} else if errors.As(err, &kind) {
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:offset], []byte("\n")), err)
}
