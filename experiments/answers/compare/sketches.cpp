// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/compare/sketches.h"

#include "base/text/printed.h"
#include "experiments/points/study/study.h"

namespace alxsim::experiments {
namespace {

using workloads::SketchDistance;

constexpr const char* field = "sketches"; ///< of a point's results

/// "3 %": a standard error of a distance that is not zero.
std::string error_in_words(const SketchDistance& found)
{
    return *found.distance > 0
               ? "+- " + printed_percent("%.0f", *found.standard_error / *found.distance)
               : "none";
}

/// "debian (cores 8) W".
std::string who(const ComparedPair& pair, const SketchDistance& found)
{
    const std::string series =
        pair.a.series == pair.b.series ? pair.a.series : pair.a.series + " : " + pair.b.series;
    const std::string point = settings_in_words(pair.a.sweep);
    return series + (point.empty() ? "" : " (" + point + ")") + " " + found.matrix;
}

TableRow row_of(const ComparedPair& pair, const SketchDistance& found)
{
    if (found.not_comparable) {
        return {who(pair, found), "-", "-", "not comparable: " + *found.not_comparable};
    }
    return {who(pair, found), printed("%.4g", *found.distance), printed("%.4g", found.relative),
            error_in_words(found)};
}

/// What the bars rest on, by the first that has one.
std::string bars_in_words(const SketchDistance& found)
{
    const std::string draws = std::to_string(found.draws);
    std::string words = "Estimated from the sketches alone, " + draws +
                        " random projections of a matrix; |A| is exact. The bar is one standard "
                        "error,\nby how far these are apart.";
    if (*found.distance > 0) {
        words += " Whatever the matrices are, the true standard error is at most\n" +
                 printed_percent("%.0f", *found.largest_standard_error / *found.distance) +
                 ", which differences of rank one come near; its exact value follows from A - B "
                 "itself,\nwhich no report has.";
    }
    return words;
}

} // namespace

std::vector<workloads::MatrixSketch> sketches_of(const report::Point& point)
{
    std::vector<workloads::MatrixSketch> sketches;
    if (point.result && point.result->results.contains(field)) {
        read_json(point.result->results.at(field), sketches);
    }
    return sketches;
}

void tell_sketches(Document& document, const std::vector<ComparedPair>& pairs)
{
    std::vector<TableRow> rows;
    const SketchDistance* told = nullptr;
    for (const ComparedPair& pair : pairs) {
        for (const SketchDistance& found : pair.sketches) {
            rows.push_back(row_of(pair, found));
            if (!found.not_comparable && (told == nullptr || *told->distance == 0)) {
                told = &found;
            }
        }
    }
    if (rows.empty()) {
        return;
    }
    document.gap();
    document.table({"trained", "|A - B|", "over |A|", "bar"}, rows, {false, true, true, false});
    if (told != nullptr) {
        document.line(bars_in_words(*told));
    }
}

} // namespace alxsim::experiments
