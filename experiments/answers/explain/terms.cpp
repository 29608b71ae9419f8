// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/terms.h"

#include "base/input_error.h"
#include "experiments/answers/explain/explain.h"
#include "experiments/answers/explain/text.h"
#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::experiments {
namespace {

using report::in_words;
using report::percent_in_words;
using report::seconds_in_words;

/// The sentences about one phase that keeps its time.
class TermInWords {
public:
    TermInWords(const Term& term, const SeriesExplanation& series)
        : term_(term),
          device_(series.rebuilt && series.rebuilt->cores_per_device > 1 ? "device" : "core"),
          first_(cores_in_words(series.cores.front())),
          last_(cores_in_words(series.cores.back())),
          interval_(series.moments.back().interval),
          last_devices_(series.rebuilt ? series.rebuilt->devices.at(1) : 1)
    {
    }

    std::string text() const
    {
        const report::PhaseChange& change = term_.change;
        std::string text = change.phase + ": " + seconds_in_words(change.seconds_first) + " on " +
                           first_ + ", " + seconds_in_words(change.seconds_last) + " on " + last_ +
                           ", " + percent_in_words(change.share_of_last) + " of that " +
                           interval_.one + ".";
        if (term_.floor) {
            text += " It follows " + terms_of_fit(term_.floor->fit) + ", so " +
                    seconds_in_words(term_.floor->seconds) + " of it (" +
                    percent_in_words(term_.floor->share) + ") do not shrink with N.";
        }
        if (!term_.remark.empty()) {
            text += " In it, " + term_.remark + ".";
        }
        return text + (term_.work ? work() : "");
    }

private:
    /// Returns what is done at both points: of a kind of work that does not occur, nothing.
    WorkChange of(const std::string& kind) const
    {
        const std::vector<WorkChange>& all = term_.work->changes;
        const auto found = std::find_if(
            all.begin(), all.end(), [&](const WorkChange& change) { return change.kind == kind; });
        return found == all.end() ? WorkChange{kind, kind, 0, 0, {}, {}} : *found;
    }

    /// What a device does in an interval, by whether it falls as devices are added.
    std::string work() const
    {
        std::vector<std::string> same;
        std::vector<std::string> uneven;
        std::vector<std::string> even;
        for (const WorkChange& change : term_.work->changes) {
            const std::string after = count_in_words(change.last);
            const double ratio = ratio_of(change);
            if (std::abs(ratio - 1) <= near) {
                same.push_back(change.words + " (" + after + ")");
            } else if (ratio <= (1 + near) * change.even_ratio.value_or(0)) {
                even.push_back(change.words);
            } else {
                uneven.push_back(change.words + " (" + count_in_words(change.first) + ", then " +
                                 after + ")");
            }
        }
        return (term_.work->of_largest ? " What differs from " + device_ + " to " + device_ +
                                             " counts with its largest, step by step."
                                       : "") +
               sentence("Work of a " + device_ + " in " + interval_.with_article() +
                            " that stays the same: ",
                        same) +
               sentence("Work that grows, or falls more slowly than 1/N: ", uneven) +
               sentence("Work that falls as 1/N: ", even) +
               (same.empty() && uneven.empty()
                    ? " The rest of its time follows from none of these counts."
                    : "") +
               steps() + own_rows() + dearer();
    }

    /// Without end where there was none.
    static double ratio_of(const WorkChange& change) { return change.ratio.value_or(1e300); }

    static std::string sentence(const std::string& beginning, const std::vector<std::string>& list)
    {
        return list.empty() ? "" : " " + beginning + join(list) + ".";
    }

    /// Why lookups, or else collectives' bytes, stay: fewer steps, each with more of them.
    std::string steps() const
    {
        for (const char* kind : {"rows_looked_up", "rows_scattered", "collective_bytes"}) {
            const WorkChange change = of(kind);
            if (change.first <= 0 || std::abs(change.last / change.first - 1) > near) {
                continue;
            }
            const double fewer = of("steps").first / of("steps").last;
            const double more = change.last / change.first * fewer;
            if (fewer > 1 + near && more > 1 + near) {
                return " There are " + in_words(fewer) + " times fewer steps, but each has " +
                       in_words(more) + " times the " + change.words + ".";
            }
        }
        return "";
    }

    /// Where more time is not more work.
    std::string dearer() const
    {
        double most = 0;
        for (const WorkChange& change : term_.work->changes) {
            most = std::max(most, ratio_of(change));
        }
        const double first = term_.change.seconds_first;
        const double longer = first > 0 ? term_.change.seconds_last / first : 0;
        return most <= 1 + near && longer > 1 + near
                   ? " None of these grows, but the time does: the same work takes " +
                         in_words(longer) + " times as long."
                   : "";
    }

    /// Whose rows are looked up, where it is not those that a device holds alone.
    std::string own_rows() const
    {
        const double rows = of("rows_looked_up").last;
        const double own = of("own_rows_looked_up").last;
        const auto devices = static_cast<double>(last_devices_);
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
        return of("rows_scattered").last > 0
                   ? " goes over the rows that all " + device_ + "s solved."
                   : " looks up every " + device_ + "'s ids.";
    }

    static constexpr double near = 0.1;
    const Term& term_;
    std::string device_;
    std::string first_;
    std::string last_;
    report::IntervalWords interval_;
    std::int64_t last_devices_;
};

} // namespace

std::string terms_of_fit(const report::Fit& fit)
{
    const std::pair<double, const char*> terms[] = {{fit.a_over_n, "/N"},
                                                    {fit.constant, ""},
                                                    {fit.log.value_or(0), " x log2(N)"},
                                                    {fit.per_core, " x N"}};
    std::vector<std::string> words;
    for (const auto& [seconds, suffix] : terms) {
        if (seconds > 0) {
            words.push_back(seconds_in_words(seconds) + suffix);
        }
    }
    return words.empty() ? "0 s" : join(words, " + ");
}

void tell_terms(Document& document, const SeriesExplanation& series)
{
    if (series.terms->empty()) {
        document.paragraph("No phase keeps " + percent_in_words(least_floor) + " of the last " +
                           series.moments.back().interval.one +
                           ": all of them shrink as cores are added.");
        return;
    }
    document.line("What does not shrink with cores:");
    for (const Term& term : *series.terms) {
        document.item(TermInWords(term, series).text());
    }
    if (!series.shrinking.empty()) {
        document.item("What shrinks: " + join(series.shrinking) + ".");
    }
}

} // namespace alxsim::experiments
