#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a small table of ratings, its split by time, and what alternating least squares learns of
the earlier links and recalls of the later ones: by the textbook formulas, in f64, with nothing of
alxsim's.

    python3 temporal_split.py > temporal_split_expected.json
"""
import json

USERS, ITEMS, DIM, EPOCHS, REG, ALPHA = 14, 11, 3, 6, 0.05, 0.1
THRESHOLD, CUT, MIN_LINKS, K = 3, 1000400, 2, 3


class Random:
    """Numerical Recipes' generator, the same everywhere."""

    def __init__(self, state):
        self.state = state

    def below(self, count):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return (self.state >> 8) * count >> 24


def ratings():
    """Lines user, item, rating, time, in no order: two tastes, ratings below the threshold, a pair
    that stands twice, a user and an item that are new behind the cut, a line at the cut itself."""
    random = Random(7)
    lines = []
    for user in range(1, USERS):
        for item in range(ITEMS - 1):
            near = (user + item) % 2 == 0
            if random.below(100) < (75 if near else 20):
                rating = 3 + random.below(3) if near else 1 + random.below(4)
                lines.append([user, item, rating, 1000000 + 10 * random.below(56)])
    lines += [[0, 1, 5, 1000500], [0, 3, 4, 1000510], [2, ITEMS - 1, 5, 1000450],
              [4, ITEMS - 1, 4, CUT]]
    twice = next(line for line in lines if line[2] >= THRESHOLD and line[3] < CUT)
    lines.append([twice[0], twice[1], 5, 1000520])
    for i in range(len(lines) - 1, 0, -1):
        j = random.below(i + 1)
        lines[i], lines[j] = lines[j], lines[i]
    return lines


def first_times(lines):
    times = {}
    for user, item, rating, time in lines:
        if rating >= THRESHOLD:
            times[user, item] = min(time, times.get((user, item), time))
    return times


def solve(matrix, right):
    """Gaussian elimination with pivots."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(DIM):
        pivot = max(range(i, DIM), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, DIM):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    x = [0.0] * DIM
    for i in reversed(range(DIM)):
        x[i] = (rows[i][DIM] - sum(rows[i][j] * x[j] for j in range(i + 1, DIM))) / rows[i][i]
    return x


def half(fixed, links_of, count):
    """Each row that has links, from the fixed table, of whose rows `count` are trained on."""
    gramian = [[ALPHA * sum(row[i] * row[j] for row in fixed) for j in range(DIM)]
               for i in range(DIM)]
    solved = []
    for links in links_of:
        ridge = REG * (len(links) + ALPHA * count)
        system = [[gramian[i][j] + sum(fixed[k][i] * fixed[k][j] for k in links)
                   + (ridge if i == j else 0) for j in range(DIM)] for i in range(DIM)]
        right = [sum(fixed[k][i] for k in links) for i in range(DIM)]
        solved.append(solve(system, right) if links else [0.0] * DIM)
    return solved


def recall(users, items, earlier, later, candidates):
    tests = [u for u in range(USERS) if len(earlier[u]) >= MIN_LINKS and later[u]]
    total = 0
    for user in tests:
        score = lambda item: sum(a * b for a, b in zip(users[user], items[item]))
        new = [item for item in candidates if item not in earlier[user]]
        top = sorted(new, key=lambda item: (-score(item), item))[:K]
        total += len(set(top) & later[user]) / min(K, len(later[user]))
    return total / len(tests), tests


def main():
    lines = ratings()
    times = first_times(lines)
    of_user = lambda user, is_later: {i for (u, i), time in times.items()
                                      if u == user and (time >= CUT) == is_later}
    earlier = [of_user(user, False) for user in range(USERS)]
    later = [of_user(user, True) for user in range(USERS)]
    by_item = [{u for u in range(USERS) if item in earlier[u]} for item in range(ITEMS)]
    rows, columns = sum(map(bool, earlier)), sum(map(bool, by_item))
    random = Random(3)
    initial = [[random.below(2001) / 4000 - 0.25 for _ in range(DIM)] for _ in range(ITEMS)]
    items = [row if links else [0.0] * DIM for row, links in zip(initial, by_item)]
    known = [item for item in range(ITEMS) if by_item[item]]
    recalls = []
    for _ in range(EPOCHS):
        users = half(items, earlier, columns)
        items = half(users, by_item, rows)
        value, tests = recall(half(items, earlier, columns), items, earlier, later, known)
        recalls.append(value)
    print(json.dumps({
        "lines": lines, "cut": CUT, "threshold": THRESHOLD, "min_links": MIN_LINKS,
        "initial_columns": initial, "reg": REG, "alpha": ALPHA,
        "training_links": sum(map(len, earlier)), "test_rows": tests,
        "held_out_links": sum(len(later[user]) for user in tests),
        "dropped_links": sum(map(len, later)) - sum(len(later[user]) for user in tests),
        "recall_at_3": recalls, "columns": [items[item] for item in known]}, indent=None))


main()
