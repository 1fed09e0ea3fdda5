#!/usr/bin/env bash
# Remakes the reference results, from any clone. The figures (`runs`) must come out byte for byte; CI checks the small ones.
set -euo pipefail
cd "$(dirname "$0")"
run() { go run ../../cmd/rlbench run --progress none --json "$@"; }
run --scenario boundary >boundary.json
run --scenario two-limits >two-limits.json
run --scenario worst-case >worst-case.json
run --scenario patterns >patterns.json
run --scenario cloudflare >cloudflare.json
