#!/usr/bin/env bash
# Remakes the table of released libraries in docs/conformance.md, from any clone: `docs/conformance-peers.sh`. Each is
# held to the rule that comes nearest to what it says of itself. Takes a minute.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/rlbench" ./cmd/rlbench

# library  promise
cat >"$work/promises" <<'END'
x-time-rate      token-bucket:tolerance=1us
throttled        gcra:tolerance=1us
httprate         counter
httprate-core    counter:align=year1
slidingwindow    counter:align=year1
ulule            fixed:count=all:align=restart
failsafe-bursty  fixed:align=first
failsafe-smooth  at-most:12
END

: >"$work/table"
while read -r library promise; do
	# Exit status 1 is a broken promise, which is what the table is about.
	"$work/rlbench" verify --form markdown --limit 10 --window 1s --promise "$promise" "peer:$library" \
		>"$work/rows" 2>"$work/notes" || [ $? = 1 ] || { cat "$work/notes" >&2; exit 2; }
	if [ -s "$work/table" ]; then tail -n +3 "$work/rows" >>"$work/table"; else cat "$work/rows" >"$work/table"; fi
done <"$work/promises"

{
	sed '/<!-- peers -->/q' docs/conformance.md
	cat "$work/table"
	printf '\n'
	"$work/rlbench" list targets | tr -s ' \n' ' ' | grep -oE 'peer:[a-z-]+ [a-z.]+/[^ ]+ v[^ ]+' |
		grep -F -f <(awk '{print "peer:" $1 " "}' "$work/promises") | awk '{printf "%s%s is %s %s", (NR > 1 ? "; " : "Versions: "), $1, $2, $3} END {print "."}'
	sed -n '/<!-- end of peers -->/,$p' docs/conformance.md
} >"$work/page"
cp "$work/page" docs/conformance.md
