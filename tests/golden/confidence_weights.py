#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a small table of ratings and what alternating least squares learns of it where a rating is
the confidence in its link: dense, by the objective's derivative, in f64, with nothing of alxsim's.

    python3 confidence_weights.py > confidence_weights.json

L = sum over links w (1 - u.v)^2 + alpha sum over all pairs (u.v)^2
+ reg sum over rows (W_r + alpha C) |u|^2 + reg sum over columns (W_c + alpha R) |v|^2.
"""
import json

ROWS, COLUMNS, DIM, EPOCHS, REG, ALPHA = 13, 9, 3, 4, 0.02, 0.07


class Random:
    """Numerical Recipes' generator, the same everywhere."""

    def __init__(self, state):
        self.state = state

    def below(self, count):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return (self.state >> 8) * count >> 24


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def solution(system, right):
    """By elimination with pivots."""
    rows = [row + [value] for row, value in zip(system, right)]
    for i in range(DIM):
        pivot = max(range(i, DIM), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(DIM):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[DIM] for row in rows]


def solve(weights, fixed):
    """The rows that minimize L, [rows x DIM], while `fixed` [columns x DIM] stays: of each, the
    normal equations of its quadratic form, summed over all pairs one by one."""
    solved = []
    for of_row in weights:
        ridge = REG * (sum(of_row) + ALPHA * len(fixed))
        system = [[ridge * (i == j) for j in range(DIM)] for i in range(DIM)]
        right = [0.0] * DIM
        for weight, vector in zip(of_row, fixed):
            for i in range(DIM):
                right[i] += weight * vector[i]
                for j in range(DIM):
                    system[i][j] += (weight + ALPHA) * vector[i] * vector[j]
        solved.append(solution(system, right))
    return solved


def objective(weights, u, v):
    loss = sum(weights[r][c] * (1 - dot(u[r], v[c])) ** 2 + ALPHA * dot(u[r], v[c]) ** 2
               for r in range(ROWS) for c in range(COLUMNS))
    loss += REG * sum((sum(weights[r]) + ALPHA * COLUMNS) * dot(u[r], u[r]) for r in range(ROWS))
    of_columns = transposed(weights)
    return loss + REG * sum((sum(of_columns[c]) + ALPHA * ROWS) * dot(v[c], v[c])
                            for c in range(COLUMNS))


def main():
    random = Random(51)
    # Eighths are exact in f32, which is what weights are kept in. No row or column lacks a link.
    weights = [[(1 + random.below(40)) / 8 if random.below(100) < 40 or c == r % COLUMNS else 0
                for c in range(COLUMNS)] for r in range(ROWS)]
    lines = [[r, c, weights[r][c]] for r in range(ROWS) for c in range(COLUMNS) if weights[r][c]]
    lines.sort(key=lambda line: (7 * line[0] + 5 * line[1]) % 11)
    row, column, _ = lines[0]  # stands twice: its weights are added
    lines.append([row, column, 0.5])
    weights[row][column] += 0.5

    first = [[(random.below(129) - 64) / 256 for _ in range(DIM)] for _ in range(COLUMNS)]
    v = first
    objectives = []
    for _ in range(EPOCHS):
        u = solve(weights, v)
        v = solve(transposed(weights), u)
        objectives.append(objective(weights, u, v))
    print(json.dumps({
        "dim": DIM, "epochs": EPOCHS, "reg": REG, "alpha": ALPHA, "lines": lines,
        "initial_columns": first, "objectives": objectives, "rows": u, "columns": v}))


main()
