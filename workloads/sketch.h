// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::workloads {

/// One draw of a sketch: f(X) = R_1 X R_2^T / sqrt M, M = kept[0] kept[1], with random signs R_1
/// [kept[0] x rows] of `stream` and R_2 [kept[1] x columns] of the next.
struct SketchDraw {
    std::uint64_t stream = 0;
    std::vector<double> numbers; ///< [kept[0] x kept[1]]
};

/// What a report keeps of a matrix: a few random projections in tensor-train format (TTRP: Feng,
/// Tang, He, Zhou, Liao 2023, doi 10.32604/cmes.2022.021636), linear in the matrix. So the sketches
/// of two matrices tell how far apart these are, without either.
struct MatrixSketch {
    std::string matrix; ///< its name: "W"
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::int64_t> kept; ///< numbers behind each mode
    std::optional<double> norm;    ///< Frobenius, of the matrix itself; none: it is not finite, ...
    std::vector<SketchDraw> draws; ///< ... nor is there a draw then
};

/// |A - B| of two matrices by their sketches, or why there is none.
struct SketchDistance {
    std::string matrix;
    std::optional<std::string> not_comparable; ///< why; else the rest is there
    std::optional<double> distance;            ///< Frobenius norm of A - B
    std::optional<double> relative;            ///< the same over |A|; none where A is zero
    /// That of `distance`, by how far the draws are apart: they are independent.
    std::optional<double> standard_error;
    /// No matrix A - B whatever gives one above: of |f|^2, one draw has a standard deviation of at
    /// most |A - B|^2 sqrt((1 + 2 / kept[0]) (1 + 2 / kept[1]) - 1), which A - B of rank one
    /// reaches as its entries' magnitudes spread. What it is exactly takes A - B itself.
    std::optional<double> largest_standard_error;
    std::int64_t draws = 0;
};

/// Returns that of each matrix that both have, in the order of `a`. Unbiased for |A - B|^2.
std::vector<SketchDistance> distances(const std::vector<MatrixSketch>& a,
                                      const std::vector<MatrixSketch>& b);

template <class Fields>
void list_fields(Fields& fields, SketchDraw& draw)
{
    fields("stream", draw.stream);
    fields("numbers", draw.numbers);
}

template <class Fields>
void list_fields(Fields& fields, MatrixSketch& sketch)
{
    fields("matrix", sketch.matrix);
    fields("rows", sketch.rows);
    fields("columns", sketch.columns);
    fields("kept", sketch.kept);
    fields("norm", sketch.norm);
    fields("draws", sketch.draws);
}

template <class Fields>
void list_fields(Fields& fields, SketchDistance& distance)
{
    fields("matrix", distance.matrix, "Its name.");
    fields("not_comparable", distance.not_comparable,
           "Why there is no distance; else the rest is there.");
    fields("distance", distance.distance, "Frobenius norm of A - B.", limits::amount);
    fields("relative", distance.relative, "The same over that of A; absent where A is zero.",
           limits::amount);
    fields("standard_error", distance.standard_error,
           "Of the distance, by how far independent draws are apart.", limits::amount);
    fields("largest_standard_error", distance.largest_standard_error,
           "No A - B whatever gives one above.", limits::amount);
    fields("draws", distance.draws, "Independent draws of the sketch.", limits::amount);
}

} // namespace alxsim::workloads
