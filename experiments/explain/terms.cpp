// SPDX-License-Identifier: Apache-2.0
#include "experiments/explain/terms.h"

#include "base/input_error.h"
#include "experiments/explain/explain.h"
#include "experiments/explain/text.h"
#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::experiments {
namespace {

using report::in_words;
using report::percent_in_words;

/// The sentences about one phase that keeps its time.
class TermInWords {
public:
    TermInWords(const Json& term, const Json& series)
        : term_(term),
          device_(series.value("cores_per_device", 1) == 1 ? "core" : "device"),
          first_(cores_of(series.at("cores").front())),
          last_(cores_of(series.at("cores").back())),
          devices_(series.value("devices", Json::array()))
    {
    }

    std::string text() const
    {
        std::string text =
            term_.at("phase").get<std::string>() + ": " + seconds_of(term_.at("seconds_first")) +
            " on " + first_ + ", " + seconds_of(term_.at("seconds_last")) + " on " + last_ + ", " +
            percent_in_words(term_.at("share_of_last").get<double>()) + " of that epoch.";
        if (term_.contains("fit")) {
            text += " It follows " + terms_of_fit(term_.at("fit")) + ", so " +
                    seconds_of(term_.at("stays_seconds")) + " of it (" +
                    percent_in_words(term_.at("stays_share").get<double>()) +
                    ") do not shrink with N.";
        }
        return paragraph(text + (term_.contains("work") ? work() : ""), "  - ");
    }

private:
    double of(const std::string& kind, const char* field) const
    {
        for (const Json& work : term_.at("work")) {
            if (work.at("kind") == kind) {
                return work.at(field).get<double>();
            }
        }
        return 0;
    }

    /// What a device does in an epoch, by whether it falls as devices are added.
    std::string work() const
    {
        std::vector<std::string> same;
        std::vector<std::string> uneven;
        std::vector<std::string> even;
        for (const Json& work : term_.at("work")) {
            const auto words = work.at("words").get<std::string>();
            const std::string before = count_in_words(work.at("first").get<double>());
            const std::string after = count_in_words(work.at("last").get<double>());
            const double ratio = work.value("ratio", 1e300);
            if (std::abs(ratio - 1) <= near) {
                same.push_back(words + " (" + after + ")");
            } else if (ratio <= (1 + near) * work.value("even_ratio", 0.0)) {
                even.push_back(words);
            } else {
                uneven.push_back(words + " (" + before + ", then " + after + ")");
            }
        }
        return (term_.value("work_of_largest", false)
                    ? " What differs from " + device_ + " to " + device_ +
                          " counts with its largest, step by step."
                    : "") +
               sentence("Work of a " + device_ + " in an epoch that stays the same: ", same) +
               sentence("Work that grows, or falls more slowly than 1/N: ", uneven) +
               sentence("Work that falls as 1/N: ", even) +
               (same.empty() && uneven.empty()
                    ? " The rest of its time follows from none of these counts."
                    : "") +
               steps() + own_rows() + dearer();
    }

    static std::string sentence(const std::string& beginning, const std::vector<std::string>& list)
    {
        return list.empty() ? "" : " " + beginning + join(list) + ".";
    }

    /// Why lookups, or else collectives' bytes, stay: fewer steps, each with more of them.
    std::string steps() const
    {
        for (const char* kind : {"rows_looked_up", "rows_scattered", "collective_bytes"}) {
            const double before = of(kind, "first");
            if (before <= 0 || std::abs(of(kind, "last") / before - 1) > near) {
                continue;
            }
            const double fewer = of("steps", "first") / of("steps", "last");
            const double more = of(kind, "last") / before * fewer;
            if (fewer > 1 + near && more > 1 + near) {
                return " There are " + in_words(fewer) + " times fewer steps, but each has " +
                       in_words(more) + " times the " + words_of(kind) + ".";
            }
        }
        return "";
    }

    /// Where more time is not more work.
    std::string dearer() const
    {
        double most = 0;
        for (const Json& work : term_.at("work")) {
            most = std::max(most, work.value("ratio", 1e300));
        }
        const double first = term_.at("seconds_first").get<double>();
        const double longer = first > 0 ? term_.at("seconds_last").get<double>() / first : 0;
        return most <= 1 + near && longer > 1 + near
                   ? " None of these grows, but the time does: the same work takes " +
                         in_words(longer) + " times as long."
                   : "";
    }

    std::string words_of(const std::string& kind) const
    {
        for (const Json& work : term_.at("work")) {
            if (work.at("kind") == kind) {
                return work.at("words").get<std::string>();
            }
        }
        return kind;
    }

    /// Whose rows are looked up, where it is not those that a device holds alone.
    std::string own_rows() const
    {
        const double rows = of("rows_looked_up", "last");
        const double own = of("own_rows_looked_up", "last");
        const double devices = devices_.at(1).get<double>();
        const double one_in = own > 0 ? rows / own : 1;
        if (devices <= 1 || one_in <= 1 + near) {
            return "";
        }
        // What a lookup finds of its own is a whole number, so that this may be more than N.
        const bool of_all = one_in >= (1 - near) * devices;
        return " Of the rows that a " + device_ + " looks up on " + last_ + ", it holds one in " +
               in_words(one_in) + (of_all ? ": every " + device_ + looks_up_all() : ".");
    }

    std::string looks_up_all() const
    {
        return of("rows_scattered", "last") > 0
                   ? " goes over the rows that all " + device_ + "s solved."
                   : " looks up every " + device_ + "'s ids.";
    }

    static constexpr double near = 0.1;
    const Json& term_;
    std::string device_;
    std::string first_;
    std::string last_;
    Json devices_;
};

} // namespace

std::string terms_of_fit(const Json& fit)
{
    const std::pair<const char*, const char*> terms[] = {
        {"a_over_n", "/N"}, {"constant", ""}, {"log", " x log2(N)"}, {"per_core", " x N"}};
    std::vector<std::string> words;
    for (const auto& [key, suffix] : terms) {
        if (fit.value(key, 0.0) > 0) {
            words.push_back(seconds_of(fit.at(key)) + suffix);
        }
    }
    return words.empty() ? "0 s" : join(words, " + ");
}

std::string terms_in_words(const Json& series)
{
    if (series.at("terms").empty()) {
        return paragraph("No phase keeps " + percent_in_words(least_floor) +
                         " of the last epoch: all of them shrink as cores are added.");
    }
    std::string text = "What does not shrink with cores:\n";
    for (const Json& term : series.at("terms")) {
        text += TermInWords(term, series).text();
    }
    const Json shrinking = series.value("shrinking", Json::array());
    return text + (shrinking.empty()
                       ? ""
                       : paragraph("What shrinks: " +
                                       join(shrinking.get<std::vector<std::string>>()) + ".",
                                   "  - "));
}

} // namespace alxsim::experiments
