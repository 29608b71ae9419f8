// SPDX-License-Identifier: Apache-2.0
#include "experiments/explain/text.h"
#include "experiments/infer/infer.h"
#include "report/words.h"

#include <cmath>

namespace alxsim::experiments {
namespace {

std::string number(const Json& value)
{
    return value.is_boolean() ? (value.get<bool>() ? "yes" : "no")
           : value.is_null()  ? "-"
                              : report::in_words(value.get<double>());
}

std::string band(const Json& band, const std::string& unit = "")
{
    if (band.is_null()) {
        return "none";
    }
    return number(band.at("low")) + " .. " + number(band.at("median")) + " .. " +
           number(band.at("high")) + (unit.empty() ? "" : " " + unit);
}

std::string percent(const Json& share)
{
    return share.is_null() ? "-" : report::percent_in_words(share.get<double>());
}

std::string survivors_in_words(const Json& result)
{
    const auto survivors = result.at("survivors").get<std::int64_t>();
    std::string text = std::to_string(survivors) + " of " + result.at("draws").dump() +
                       " draws agree with all statements, the model's own error taken as " +
                       percent(result.at("discrepancy")) + ".";
    if (result.at("method") == "sequential") {
        text += " Too few to draw a band from: draws that agree were sampled in " +
                result.at("levels").at("count").dump() + " levels of narrower tolerance, worth " +
                number(result.at("effective")) + " independent ones; about " +
                percent(result.at("share")) + " of all draws agree.";
    }
    if (result.contains("checked_against_rejection")) {
        text +=
            " Compared with the few that rejection leaves, no constrained unknown's median moved "
            "by more than " +
            number(
                result.at("checked_against_rejection").at("largest_shift_of_a_median_quantile")) +
            " of its range.";
    }
    if (result.contains("draws_for_enough_survivors")) {
        text += " For reliable bands, take " + result.at("draws_for_enough_survivors").dump() +
                " draws (--draws).";
    }
    if (result.contains("steadiness")) {
        const Json& steadiness = result.at("steadiness");
        text += " Another seed may move the bands of constrained unknowns by up to " +
                percent(steadiness.at("within")) + " (" +
                steadiness.at("unknown").get<std::string>() + ")";
        text += steadiness.contains("draws_for_15_percent")
                    ? "; for 15 %, draw " + steadiness.at("draws_for_15_percent").dump() +
                          " draws (--draws)."
                    : ".";
    }
    return text;
}

std::string statements_in_words(const Json& result)
{
    std::string text =
        "\nStatements: how often each holds before, and what the others predict for it\n";
    for (const Json& one : result.at("statements")) {
        const Json& others = one.at("others_predict");
        std::string line = one.at("name").get<std::string>() + ": " +
                           percent(one.at("holds_in_prior")) + " of all draws; of " +
                           one.at("agree_with_all_others").dump() +
                           " that agree with the others, " + percent(others.at("holds"));
        if (!others.at("figure").is_null()) {
            line += ", with " + band(others.at("figure"));
        }
        text += paragraph(line + ".", "- ");
    }
    return text;
}

std::string unknowns_in_words(const Json& result)
{
    std::string text = "\nUnknowns (5 .. 50 .. 95 %, before and after)\n";
    int same = 0;
    for (const Json& one : result.at("unknowns")) {
        if (!one.at("constrained").get<bool>()) {
            ++same;
            continue;
        }
        const std::string unit = one.at("unit").get<std::string>();
        text += paragraph(one.at("name").get<std::string>() + ": " + band(one.at("prior"), unit) +
                              "; now " + band(one.at("posterior"), unit) + " (distance " +
                              number(one.at("distance")) + ")",
                          "- ");
    }
    return text + paragraph(std::to_string(same) + " other unknowns are unchanged.", "- ");
}

std::string correlations_in_words(const Json& result)
{
    std::string text;
    for (const Json& one : result.at("correlations")) {
        const double r = one.at("r").get<double>();
        text +=
            paragraph(one.at("a").get<std::string>() + " and " + one.at("b").get<std::string>() +
                          (r > 0 ? " rise together" : ": where one is high, the other is low") +
                          " (" + number(one.at("r")) + ")",
                      "- ");
    }
    return text.empty() ? "" : "\nCorrelations among the draws that agree\n" + text;
}

std::string shares_in_words(const Json& shares)
{
    std::vector<std::string> words;
    for (const auto& [cores, share] : shares.items()) {
        words.push_back(cores + " (" + percent(share) + ")");
    }
    return join(words);
}

std::string series_in_words(const Json& series)
{
    std::string text = "\n" + series.at("name").get<std::string>() +
                       ", seconds an epoch (5 .. 50 .. 95 %, before and after)\n";
    for (const Json& point : series.at("points")) {
        char line[160];
        std::snprintf(line, sizeof line, "  %6s cores   %-28s   %s\n",
                      point.at("cores").dump().c_str(), band(point.at("prior")).c_str(),
                      band(point.at("posterior")).c_str());
        text += line;
    }
    for (const char* which : {"prior", "posterior"}) {
        if (series.contains("sweet_spot") && series.at("sweet_spot").contains(which)) {
            text += paragraph(
                "sweet spot " +
                    std::string(which == std::string("prior") ? "before: " : "after: ") +
                    shares_in_words(series.at("sweet_spot").at(which)) + "; linear, then flat in " +
                    percent(series.at("linear_then_flat").at(which)),
                "  ");
        }
    }
    return text;
}

std::string contradiction_in_words(const Json& contradiction)
{
    std::string text = "\nNo draw agrees with all statements.\n";
    for (const Json& one : contradiction.at("hold_nowhere")) {
        std::string line = "'" + one.at("statement").get<std::string>() + "' holds in no draw";
        if (one.contains("nearest")) {
            line += ": the nearest is " + number(one.at("nearest")) + ", not " +
                    number(one.at("wanted")) + ". What would have to leave its range:";
            for (const Json& unknown : one.at("beyond")) {
                line += " " + unknown.at("name").get<std::string>() + " beyond " +
                        number(unknown.at("value")) + ",";
            }
            line += " for a factor of " + number(one.at("beyond").at(0).at("factor_missing"));
        }
        text += paragraph(line + ".", "- ");
    }
    for (const Json& pair : contradiction.at("exclude_each_other")) {
        text += paragraph("'" + pair.at(0).get<std::string>() + "' and '" +
                              pair.at(1).get<std::string>() + "' exclude each other.",
                          "- ");
    }
    if (contradiction.at("hold_nowhere").empty() &&
        contradiction.at("exclude_each_other").empty()) {
        text += paragraph("Each statement holds somewhere, and so does each pair: more draws "
                          "(--draws) may find some that agree with all.",
                          "- ");
    }
    return text;
}

std::string measurements_in_words(const Json& found)
{
    std::string text = "\nWhat to measure first, for " + found.at("series").get<std::string>() +
                       " on " + found.at("cores").dump() + " cores (" +
                       band(found.at("band"), "s") + ": a factor of " + number(found.at("ratio")) +
                       " from 5 to 95 %)\n";
    for (const Json& one : found.at("list")) {
        text += paragraph(one.at("name").get<std::string>() + ": expected to leave a factor of " +
                              number(one.at("expected_ratio")) + " (known to " +
                              percent(one.at("tolerance")) + "; now anywhere in " +
                              band(one.at("figure")) + ")",
                          "- ");
    }
    return text;
}

} // namespace

std::string inferred_in_words(const Json& result)
{
    std::string text = paragraph(survivors_in_words(result));
    text += statements_in_words(result);
    if (result.contains("contradiction")) {
        return text + contradiction_in_words(result.at("contradiction"));
    }
    text += unknowns_in_words(result) + correlations_in_words(result);
    for (const Json& series : result.at("series")) {
        text += series_in_words(series);
    }
    if (result.contains("measurements")) {
        text += measurements_in_words(result.at("measurements"));
    }
    return text;
}

} // namespace alxsim::experiments
