"""rapidfuzz-distance.py FILE FILE: the edit distance of two sequences by rapidfuzz, and the seconds it took.

Header lines that begin with '>' are dropped, the others joined, as examples/levenshtein.c does it.
"""

import sys
import time

from rapidfuzz.distance import Levenshtein


def sequence(path):
    with open(path, "rb") as stream:
        lines = stream.read().splitlines()
    return b"".join(line for line in lines if not line.startswith(b">"))


a, b = sequence(sys.argv[1]), sequence(sys.argv[2])
begin = time.perf_counter()
distance = Levenshtein.distance(a, b)
print(f"seconds: {time.perf_counter() - begin:.9f}")
print(f"distance: {distance}")
