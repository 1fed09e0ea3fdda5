#!/usr/bin/env python3
"""A sliding window log behind the command protocol: rlbench verify --promise log "command:python3 log.py" """
import sys
from collections import deque

limit, window, clients = 0, 0, {}


def answer(line):
    global limit, window, clients
    words = line.split()
    if words[0] == "config":
        settings = dict(word.split("=") for word in words[1:])
        limit, window, clients = int(settings["limit"]), int(settings["window_ns"]), {}
        return "ok"
    t, key, cost = int(words[0]), words[1], int(words[2])
    if cost == 0:
        return "1"
    log, total, last = clients.get(key, (deque(), 0, t))
    t = max(t, last)  # time never goes back
    while log and t - log[0][0] > window:
        total -= log.popleft()[1]
    admitted = total + cost <= limit
    if admitted:
        log.append((t, cost))
        total += cost
    clients[key] = (log, total, t)
    return "1" if admitted else "0"


for line in sys.stdin:
    sys.stdout.write(answer(line) + "\n")
    sys.stdout.flush()
