// A sliding window counter behind the command protocol: rlbench verify --promise counter "command:node counter.js"
// With the argument "wrong" it forgets that the last window's share shrinks.
"use strict";
const wrong = process.argv[2] === "wrong";
let limit = 0n, window = 1n, clients = new Map();

function answer(line) {
  const words = line.split(" ");
  if (words[0] === "config") {
    for (const word of words.slice(1)) {
      const [name, value] = word.split("=");
      if (name === "limit") limit = BigInt(value);
      if (name === "window_ns") window = BigInt(value);
    }
    clients = new Map();
    return "ok";
  }
  const [time, key, cost] = [BigInt(words[0]), words[1], BigInt(words[2])];
  if (cost === 0n) return "1";
  const c = clients.get(key) || { index: time / window, prev: 0n, cur: 0n, last: time };
  clients.set(key, c);
  const now = time > c.last ? time : c.last; // time never goes back
  c.last = now;
  const index = now / window;
  if (index > c.index) {
    c.prev = index === c.index + 1n ? c.cur : 0n;
    c.cur = 0n;
    c.index = index;
  }
  const left = wrong ? window : window - (now % window);
  if (c.prev * left + (c.cur + cost) * window > limit * window) return "0";
  c.cur += cost;
  return "1";
}

let rest = "";
process.stdin.on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop();
  if (lines.length > 0) process.stdout.write(lines.map(answer).join("\n") + "\n");
});
