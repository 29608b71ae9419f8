#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes decompositions.json beside this file: QR, SVD and symmetric eigenvalues of small matrices by
NumPy in f64, with the signs that alxsim gives them (R's diagonal positive; of each right singular vector
and eigenvector the entry of largest magnitude positive).

usage: make.py (NumPy 2; LAPACK's last bits differ from version to version, readers compare to 1e-12)"""
import json
import os

import numpy as np


def signs(columns):
    """[column]: what makes its entry of largest magnitude positive."""
    return np.sign(columns[np.abs(columns).argmax(axis=0), range(columns.shape[1])])


def tall_qr(a):
    q, r = np.linalg.qr(a)
    sign = np.sign(np.diag(r))
    return {"a": a, "q": q * sign, "r": r * sign[:, None]}


def svd(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    sign = signs(vt.T)
    return {"a": a, "u": u * sign, "s": s, "vt": vt * sign[:, None]}


def symmetric_eigen(a):
    values, vectors = np.linalg.eigh(a)
    return {"a": a, "values": values, "vectors": vectors * signs(vectors)}


def lists(case):
    return {name: array.tolist() for name, array in case.items()}


random = np.random.default_rng(7)
tall, wide, square = random.standard_normal((9, 4)), random.standard_normal((3, 7)), random.standard_normal((6, 6))
graded = tall * np.array([1.0, 1e-3, 1e-6, 1e-9])  # singular values nine decades apart
cases = {
    "tall_qr": [lists(tall_qr(a)) for a in (tall, square)],
    "svd": [lists(svd(a)) for a in (tall, wide, square, graded)],
    "symmetric_eigen": [lists(symmetric_eigen(a)) for a in (square + square.T, tall.T @ tall)],
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "decompositions.json"), "w") as file:
    json.dump(cases, file, indent=1)
    file.write("\n")
