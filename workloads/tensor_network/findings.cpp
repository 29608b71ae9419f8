// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/findings.h"

#include "base/npy.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace alxsim::tensor_network {
namespace {

/// Rounding in f32 makes a tenth of it.
constexpr double most_apart = 1e-4;

std::string in_three_digits(double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data();
}

std::string list(const Json& ranks)
{
    return npy_shape_text(ranks.get<std::vector<std::int64_t>>());
}

std::string ranks_in_words(const Json& results)
{
    if (!results.contains("mera_ranks")) {
        const bool is_tucker = results.contains("tucker_ranks");
        return "ranks " + list(results.at(is_tucker ? "tucker_ranks" : "ranks"));
    }
    std::string words = "ranks of layers";
    for (const Json& layer : results.at("mera_ranks")) {
        words += " " + list(layer);
    }
    return words;
}

/// Tells the course of an integration.
std::string course_in_words(const Json& results)
{
    const Json& last = results.at("reports").back();
    std::string words = "ranks at 1e-6 up to " + results.at("largest_rank_1e_6").dump() +
                        ", at 1e-3 up to " + results.at("largest_rank_1e_3").dump();
    if (last.at("error").is_number()) {
        words += ", error in the end " + in_three_digits(last.at("error").get<double>());
    }
    return words;
}

} // namespace

std::vector<std::string> findings_of(const Json& results)
{
    if (results.contains("reports")) {
        return {course_in_words(results)};
    }
    std::vector<std::string> lines{ranks_in_words(results) + ", " + results.at("numbers").dump() +
                                   " numbers for " +
                                   in_three_digits(results.at("tensor_numbers").get<double>())};
    if (results.contains("error")) {
        const double error = results.at("error");
        lines.front() += ", error " + in_three_digits(error);
        if (error > results.value("tolerance", error)) {
            const bool all_digits = results.at("has_all_digits");
            lines.push_back(
                "the error is above the tolerance " +
                in_three_digits(results.at("tolerance").get<double>()) +
                (all_digits ? ""
                            : ": \"method\": \"svd\" and \"dtype\": \"f64\" have more digits"));
        }
    }
    const double apart = results.value("orthogonality", 0.0);
    if (apart > most_apart) {
        lines.push_back("columns that should be orthonormal are off by " + in_three_digits(apart) +
                        ": Gramians have no digits for such small singular values; a larger "
                        "tolerance, \"method\": \"svd\" or \"dtype\": \"f64\" helps");
    }
    for (const Json& search : results.value("starts", Json::array())) {
        if (!search.at("found").get<bool>()) {
            lines.push_back("layer " + search.at("layer").dump() + ", bond " +
                            search.at("bond").dump() + ": none of " + search.at("starts").dump() +
                            " starts brings its rank from " + search.at("before").dump() + " to " +
                            search.at("target").dump());
        }
    }
    return lines;
}

} // namespace alxsim::tensor_network
