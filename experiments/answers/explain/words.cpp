// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"
#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/answers/explain/against_preset.h"
#include "experiments/answers/explain/explain.h"
#include "experiments/answers/explain/moved_spots.h"
#include "experiments/answers/explain/terms.h"
#include "experiments/answers/explain/text.h"
#include "experiments/answers/explain/what_ifs.h"
#include "experiments/points/parts/point_notes.h"
#include "experiments/points/study/point_study.h"
#include "experiments/points/study/study.h"
#include "experiments/runs/search_words.h"
#include "report/wording/point_words.h"
#include "workloads/collective_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::experiments {
namespace {

using report::in_words;
using report::percent_in_words;
using report::seconds_in_words;

/// "gather.rows (45%), solve (20%)": the longest, until nine tenths are told.
std::string parts_in_words(const std::vector<TimePart>& parts)
{
    std::vector<std::string> words;
    double told = 0;
    for (const TimePart& part : parts) {
        if (told < 0.9 && words.size() < 5) {
            const std::string by = part.by.empty() ? "" : ", set by " + join(part.by, " and ");
            words.push_back(part.name + " (" + percent_in_words(part.share) + by + ")");
        }
        told += part.share;
    }
    return join(words);
}

/// "step_dispatch_s (78%), model error of collectives (9%)".
std::string shares_in_words(const Named<double>& parts)
{
    std::vector<std::string> words;
    for (const auto& [name, share] : parts) {
        words.push_back(name + " (" + percent_in_words(share) + ")");
    }
    return join(words);
}

/// What the hosts take by themselves, where they hold the devices up.
std::string input_in_words(const Moment& moment)
{
    const bool holds_up =
        std::any_of(moment.phases.begin(), moment.phases.end(), [](const TimePart& phase) {
            return phase.name == "infeed" && phase.share >= least_floor;
        });
    if (!moment.input || !holds_up) {
        return "";
    }
    const report::InputStages& input = *moment.input;
    return " By themselves the hosts take " + seconds_in_words(input.read_seconds) +
           " to read records" +
           (input.every_host_reads_all ? " (each reads those of all, on any number of cores)"
                                       : "") +
           ", " + seconds_in_words(input.parse_seconds) + " to parse them and " +
           seconds_in_words(input.transfer_seconds) +
           " for PCIe, side by side; infeed is what sticks out.";
}

/// What goes where below HBM, the busiest way first.
std::string paths_in_words(const Moment& moment)
{
    if (moment.paths.empty()) {
        return "";
    }
    std::vector<report::PathUse> paths = moment.paths;
    std::stable_sort(paths.begin(), paths.end(),
                     [](const auto& a, const auto& b) { return a.busy_seconds > b.busy_seconds; });
    std::string words;
    for (const report::PathUse& path : paths) {
        words += (words.empty() ? " Below HBM: " : ", ") +
                 (path.from == path.to ? path.from + " cores in its memory"
                                       : path.from + " to " + path.to) +
                 printed(" %.3g GB, busy ", static_cast<double>(path.bytes) / 1e9) +
                 percent_in_words(path.busy_share) + " of it";
    }
    if (moment.host_memory && moment.host_memory->busy_share > 1) {
        words += "; the host's memory would be busy " +
                 printed("%.2f", moment.host_memory->busy_share) +
                 " times as long with all of them, so that it takes up to so much longer";
    }
    return words + ".";
}

/// "mlp.py:17 (68%)"; of collectives "permute over x (40%, 0.18 GB a device, 3.1 ms by
/// themselves)".
std::string row_in_words(const report::TimeRow& row, bool of_collectives)
{
    std::string words = row.name + " (" + percent_in_words(row.share);
    if (of_collectives) {
        words += printed(", %.3g GB a device, ", static_cast<double>(*row.bytes) / 1e9) +
                 seconds_in_words(row.work_seconds) + " by themselves";
    }
    return words + ")";
}

/// What takes most of the critical path by source line, collective, axes: a sentence each.
std::string tables_in_words(const std::vector<report::TimeTable>& tables)
{
    constexpr std::size_t most = 5;
    constexpr double worth_telling = 0.005;
    std::string text;
    for (const report::TimeTable& table : tables) {
        // Where a name has collectives alone, the others are not what the table is about.
        const bool of_collectives =
            table.by == workloads::by_collective || table.by == workloads::by_axes;
        std::vector<std::string> words;
        for (const report::TimeRow& row : table.rows) {
            const bool told = of_collectives ? row.bytes.has_value() : row.share >= worth_telling;
            if (words.size() < most && told) {
                words.push_back(row_in_words(row, of_collectives));
            }
        }
        if (!words.empty()) {
            text += " By " + table.by + ": " + join(words) + ".";
        }
    }
    return text;
}

std::string price_in_words(const std::optional<double>& dollars, const char* kind)
{
    return dollars ? report::dollars_in_words(*dollars) + " " + kind : "";
}

std::string bill_in_words(const report::Bill& bill, const report::IntervalWords& interval)
{
    const report::BillSeconds& seconds = bill.seconds;
    const std::pair<const char*, double> parts[] = {
        {"compiling", seconds.compile},       {"loading", seconds.load},
        {"training", seconds.training},       {"evaluation", seconds.evaluation},
        {"checkpoints", seconds.checkpoints}, {"lost to failures", seconds.lost_to_failures}};
    std::vector<std::string> words;
    for (const auto& [name, value] : parts) {
        if (value > 0) {
            words.push_back(std::string(name) + " " + seconds_in_words(value));
        }
    }
    std::vector<std::string> prices;
    for (const std::string& price :
         {price_in_words(bill.dollars, "on demand"), price_in_words(bill.dollars_spot, "spot"),
          price_in_words(bill.dollars_committed, "committed")}) {
        if (!price.empty()) {
            prices.push_back(price);
        }
    }
    const std::string dollars = prices.empty()
                                    ? "; no dollars are told, since the chip has no price."
                                    : " and " + join(prices) + ".";
    return " The whole job of " + interval.counted(bill.intervals) + " takes " +
           in_words(bill.hours) + " hours (" + join(words) + ")" + dollars +
           (prices.empty() ? "" : " " + report::dollars_cover(bill));
}

/// The band, and which figure lies where.
std::string band_in_words(const Moment& moment)
{
    std::string text = "; in 90 % of the draws of all uncertain inputs " +
                       seconds_in_words(*moment.low_seconds) + " to " +
                       seconds_in_words(*moment.high_seconds);
    const bool outside =
        moment.epoch_seconds < *moment.low_seconds || moment.epoch_seconds > *moment.high_seconds;
    if (outside && moment.median_seconds) {
        text += ", half of them less than " + seconds_in_words(*moment.median_seconds) +
                ", which is the figure to go by";
    }
    return text;
}

/// What it gets through, waits for and communicates.
std::string waits_in_words(const Moment& moment)
{
    report::Breakdown interval;
    interval.seconds = moment.epoch_seconds;
    interval.waiting = moment.waiting;
    interval.communication = moment.communication;
    std::string text;
    const std::string waiting = report::waiting_in_words(interval);
    if (!waiting.empty()) {
        text += " It waits for others: " + waiting + ".";
    }
    if (!moment.slots.empty()) {
        text += " Of the turns in which stages work, " + moment.slots + ".";
    }
    const std::string communication = report::communication_in_words(interval);
    if (!communication.empty()) {
        text += " Communication by axes: " + communication + ".";
    }
    if (moment.throughput && moment.throughput->per_interval > 1) {
        text += " Throughput: " + report::throughput_in_words(*moment.throughput) + ".";
    }
    return text;
}

/// Whether enough of the time is waiting for others that phases look longer than their work.
bool waits_a_lot(const Moment& moment)
{
    constexpr double much = 0.05;
    return std::any_of(
        moment.mechanisms.begin(), moment.mechanisms.end(),
        [](const TimePart& part) { return part.name == "waiting" && part.share >= much; });
}

void tell(Document& document, const Moment& moment)
{
    std::string text = "On " + cores_in_words(moment.cores) + ", the " + moment.what + " point" +
                       (moment.sweep.empty() ? "" : " (" + settings_in_words(moment.sweep) + ")") +
                       ", " + moment.interval.with_article() + " takes " +
                       seconds_in_words(moment.epoch_seconds);
    if (moment.low_seconds && moment.high_seconds) {
        text += band_in_words(moment);
    }
    text += waits_a_lot(moment) ? ". By phase, each with the waiting in it: " : ". By phase: ";
    text += parts_in_words(moment.phases) +
            ". By what it waited for: " + parts_in_words(moment.mechanisms) + "." +
            waits_in_words(moment);
    text += tables_in_words(moment.time_by);
    if (moment.assumed) {
        text += " Assumed: " + moment.assumed->words + ".";
    }
    text += input_in_words(moment) + paths_in_words(moment);
    if (moment.longest_collective) {
        const report::CollectiveSchedule& one = *moment.longest_collective;
        text += " The collective that takes longest, '" + one.op + "', runs " + one.schedule +
                ": " + seconds_in_words(one.seconds) + ", " +
                count_in_words(static_cast<double>(one.times)) + " times.";
    }
    for (const Padding& batch : moment.padding) {
        text += " Of the slots in a batch of " + batch.of + ", " + percent_in_words(batch.share) +
                " are padding, which is worked on like data.";
    }
    if (moment.most_uncertain) {
        text += " The uncertain input that matters most is " + moment.most_uncertain->name +
                ": over its band alone, the longest " + moment.interval.one + " is " +
                in_words(moment.most_uncertain->swing) + " times the shortest.";
    }
    if (!moment.band_parts.empty()) {
        text += " What the band is made of: " + shares_in_words(moment.band_parts) + ".";
    }
    if (moment.bill) {
        text += bill_in_words(*moment.bill, moment.interval);
    }
    document.item(text);
}

/// "at or below 16 cores", "at 64 cores".
std::string place_of(const SpotPlace& spot)
{
    return std::string(spot.at_edge == "low"    ? "at or below "
                       : spot.at_edge == "high" ? "at or beyond "
                                                : "at ") +
           cores_in_words(spot.cores);
}

void tell(Document& document, const report::SweetSpot& spot)
{
    const report::Gain* failed = nullptr;
    double least = 1e300;
    for (const report::Gain& gain : spot.gains) {
        if (failed == nullptr && gain.gain < report::enough_gain) {
            failed = &gain;
        }
        least = failed == nullptr ? std::min(least, gain.gain) : least;
    }
    std::string text = "The sweet spot lies " + place_of({spot.cores, spot.at_edge}) + ": ";
    if (failed != &spot.gains.at(0)) {
        text += "every step up to there brings at least " + in_words(least) + " of its ideal gain" +
                (failed == nullptr ? "" : "; ");
    }
    if (failed != nullptr) {
        text += "the step from " + std::to_string(failed->from) + " to " +
                cores_in_words(failed->to) + " brings " + in_words(failed->gain) +
                " of its ideal gain; half is required";
    }
    document.paragraph(text + ".");
}

std::string fit_in_words(const report::Fit& fit)
{
    const std::string text = "T(N) = " + terms_of_fit(fit);
    return fit.spare_points == 0 ? text + " (through all its points: a description, no evidence)"
                                 : text + " (r2 " + in_words(fit.r2) + ", worst point off by " +
                                       percent_in_words(fit.largest_residual) + ")";
}

std::string wrap_in_words(const std::vector<bool>& wrap)
{
    std::vector<std::string> axes;
    for (std::size_t i = 0; i < wrap.size(); ++i) {
        if (wrap[i]) {
            axes.emplace_back(1, "xyz"[i]);
        }
    }
    return axes.empty()                 ? "no axis wraps"
           : axes.size() == wrap.size() ? "all axes wrap"
                                        : "only " + join(axes, " and ") + " wraps";
}

void tell_fits(Document& document, const SeriesExplanation& series)
{
    if (!series.fit) {
        return;
    }
    document.paragraph("Over all its points, on N cores: " + fit_in_words(series.fit->whole) + ".");
    for (const report::Regime& regime : series.regimes) {
        if (series.regimes.size() == 1) {
            break;
        }
        const std::string last = cores_in_words(regime.cores.back());
        const std::string range =
            regime.cores.size() == 1 ? last : std::to_string(regime.cores.front()) + " to " + last;
        document.item("Where " + wrap_in_words(regime.wrap) + ", " + range + ": " +
                      (regime.fit ? fit_in_words(regime.fit->whole) : "too few points for a fit") +
                      ".");
    }
}

/// "23% less on 2048 cores (5270 s)"; where the last point stays, what it does at fewer cores.
std::string change_in_words(const Outcome& outcome, const WhatIfs& base)
{
    const std::string last = cores_in_words(base.cores.back());
    const double change = *outcome.ratio_of_last - 1;
    if (std::abs(change) >= least_influence) {
        return percent_in_words(std::abs(change)) + (change < 0 ? " less" : " more") + " on " +
               last + " (" + seconds_in_words(*outcome.seconds.back()) + ")";
    }
    double most = 0;
    for (std::size_t i = 0; i < base.cores.size(); ++i) {
        most = std::max(most, 1 - outcome.seconds[i].value_or(base.seconds[i]) / base.seconds[i]);
    }
    return "nothing on " + last + ", up to " + percent_in_words(most) + " less on fewer";
}

/// The core counts where there is no changed job, and why.
std::string obstacles_in_words(const Outcome& outcome, const WhatIfs& base)
{
    const std::pair<const std::vector<std::int64_t>&, const char*> obstacles[] = {
        {outcome.does_not_fit, "does not fit"},
        {outcome.refused, "does not go with the other choices"}};
    std::vector<std::string> words;
    for (const auto& [counts, what] : obstacles) {
        std::vector<std::string> cores;
        for (const std::int64_t count : counts) {
            cores.push_back(std::to_string(count));
        }
        if (!cores.empty()) {
            words.push_back(what + (cores.size() == base.cores.size()
                                        ? std::string(" at any point")
                                        : " on " + join(cores) + " cores"));
        }
    }
    return join(words, "; ");
}

void tell(Document& document, const Outcome& outcome, const WhatIfs& base)
{
    std::vector<std::string> told;
    if (outcome.ratio_of_last) {
        told.push_back(change_in_words(outcome, base));
    }
    if (outcome.ratio_in_worlds) {
        told.push_back("in 90 % of the draws that agree " + in_words(outcome.ratio_in_worlds->p05) +
                       " to " + in_words(outcome.ratio_in_worlds->p95) + " times the time");
    }
    const std::string obstacles = obstacles_in_words(outcome, base);
    if (!obstacles.empty()) {
        told.push_back(obstacles);
    }
    if (outcome.sweet_spot) {
        told.push_back(outcome.sweet_spot == base.sweet_spot
                           ? "the sweet spot stays"
                           : "the sweet spot is then " + place_of(*outcome.sweet_spot));
    }
    document.item(outcome.name + ": " + join(told, "; ") + ".");
}

/// Why the job that was built again takes another time than the report has.
std::string reason_in_words(const SeriesExplanation& series)
{
    if (series.fidelity != name_of(Fidelity::analytic)) {
        return ", simulated in SystemC, where messages and cores wait for each other in ways that "
               "the model only estimates";
    }
    const report::IntervalWords& interval = series.moments.back().interval;
    return series.rebuilt->numerics
               ? "; there " + (series.rebuilt->numbers_remark.empty()
                                   ? "the " + interval.many + " of the run followed each other, " +
                                         "here one is by itself"
                                   : series.rebuilt->numbers_remark)
               : "; it was made by another version of this program, or of other data";
}

/// What a change could do for a curve, or for a point by itself, and what the model says of either.
std::string opening_of(const SeriesExplanation& series)
{
    const WhatIfs& what_ifs = series.rebuilt->what_ifs;
    const double model = what_ifs.seconds.back();
    const double told = series.moments.back().epoch_seconds;
    std::string text = what_ifs.sweet_spot ? "What would move the sweet spot."
                                           : "What would help, one thing at a time.";
    text += " By the analytic model";
    if (std::abs(model / told - 1) >= least_influence) {
        text += std::string(", which puts the ") + series.moments.back().what + " point at " +
                seconds_in_words(model) + " (the report: " + seconds_in_words(told) +
                reason_in_words(series) + ")";
    }
    if (what_ifs.sweet_spot) {
        text += ", it lies " + place_of(*what_ifs.sweet_spot) + ";";
    }
    return text + (what_ifs.sweet_spot ? " with" : ", with");
}

/// The first of `outcomes`, and how many more there are.
void tell_first(Document& document, const std::vector<const Outcome*>& outcomes, std::size_t most,
                const WhatIfs& base)
{
    for (std::size_t i = 0; i < std::min(most, outcomes.size()); ++i) {
        tell(document, *outcomes[i], base);
    }
    if (outcomes.size() > most) {
        document.item("and " + std::to_string(outcomes.size() - most) +
                      " more, which matter less (all: --json).");
    }
}

/// Tells of a point by itself what gains most, then what costs most.
void tell_helps_and_harms(Document& document, const WhatIfs& what_ifs)
{
    std::vector<const Outcome*> helps;
    std::vector<const Outcome*> harms;
    for (const Outcome& outcome : what_ifs.ranked) {
        if (outcome.ratio_of_last.value_or(0) > 1) {
            harms.insert(harms.begin(), &outcome);
        } else {
            helps.push_back(&outcome);
        }
    }
    tell_first(document, helps, 5, what_ifs);
    if (!harms.empty()) {
        document.paragraph("What would make it worse, most first:");
        tell_first(document, harms, 3, what_ifs);
    }
}

void tell_what_ifs(Document& document, const SeriesExplanation& series)
{
    const WhatIfs& what_ifs = series.rebuilt->what_ifs;
    document.paragraph(opening_of(series));
    if (!what_ifs.sweet_spot) {
        tell_helps_and_harms(document, what_ifs);
    }
    bool moves = false;
    for (const Outcome& outcome : what_ifs.ranked) {
        if (what_ifs.sweet_spot) {
            tell(document, outcome, what_ifs);
        }
        moves = moves || outcome.sweet_spot != what_ifs.sweet_spot;
    }
    if (!series.rebuilt->same_everywhere.empty()) {
        document.paragraph("With all of them " + series.rebuilt->same_everywhere + ".");
    }
    if (what_ifs.sweet_spot && !moves) {
        document.paragraph("None of them moves the sweet spot.");
    }
    if (!what_ifs.without_influence.empty()) {
        document.paragraph("These change nothing (less than " + percent_in_words(least_influence) +
                           " at every point): " + join(what_ifs.without_influence) + ".");
    }
}

/// Whether a note says what the time is.
bool is_of_time(const std::string& note)
{
    return note.rfind(what_the_time_is, 0) == 0;
}

void tell(Document& document, const SeriesExplanation& series)
{
    for (const std::string& sentence : series.does_not_fit) {
        document.paragraph("Note first: " + sentence + ".");
    }
    for (const std::string& sentence : series.failed) {
        document.paragraph("Note first: " + sentence + ".");
    }
    if (series.would_hold) {
        document.paragraph(
            "What would fit: " + in_words(series.would_hold->ways, series.would_hold->chip) + ".");
    }
    if (series.moments.empty()) {
        document.paragraph("No point of this series has a result.");
        return;
    }
    for (const std::string& sentence : series.left_out) {
        document.paragraph("Note first: " + sentence + ".");
    }
    for (const std::string& note : series.notes) {
        if (is_of_time(note)) {
            document.paragraph("Note first: " + note + ".");
        }
    }
    document.line("Where the time goes:");
    for (const Moment& moment : series.moments) {
        tell(document, moment);
    }
    tell(document, series.against_preset);
    if (series.sweet_spot) {
        tell(document, *series.sweet_spot);
        for (const report::MovedSpot& moved : series.moved_by) {
            document.paragraph(experiments::in_words(moved, series.moments.front().interval));
        }
        tell_fits(document, series);
        tell_terms(document, series);
    } else {
        document.paragraph(
            "No sweet spot: the points of this series do not differ in cores alone.");
    }
    for (const PointsBetween& between : series.between) {
        tell(document, between);
    }
    if (series.not_rebuilt) {
        document.paragraph("The report's study cannot be built again (" + *series.not_rebuilt +
                           "), so that work is not counted and no what-if is tried. Relative paths "
                           "are looked for next to the report: if its study stood elsewhere, say "
                           "where with --study STUDY.");
    } else if (series.rebuilt) {
        tell_what_ifs(document, series);
    }
}

/// The values that a search chose, and the next best ones.
void tell(Document& document, const SearchExplanation& search)
{
    document.heading("search", '=');
    document.paragraph("Values were chosen before the points ran, by " + search.maximize +
                       " on validation rows, of " +
                       report::counted(static_cast<std::int64_t>(search.candidates), "candidate") +
                       ": " + values_in_words(search.best.front()) +
                       (search.best.size() > 1 ? ". The best are:" : "."));
    const CandidateTable table = table_of(search.best, search.maximize, search.interval);
    document.table(table.heads, table.rows, table.flush_right);
    if (!search.at_edge.empty()) {
        document.paragraph("The best " + join(search.at_edge) +
                           " is at the edge of the grid: a wider one may hold better.");
    }
}

} // namespace

Document document_of(const Explanation& explanation)
{
    Document document;
    for (const SeriesExplanation& series : explanation.series) {
        if (&series != &explanation.series.front()) {
            document.gap();
        }
        document.heading(series.name + (series.chip ? " (" + *series.chip + ", " +
                                                          series.fidelity.value_or("") + ")"
                                                    : ""),
                         '=');
        tell(document, series);
        for (const std::string& note : series.notes) {
            if (!is_of_time(note)) {
                document.paragraph("Note: " + note + ".");
            }
        }
    }
    if (explanation.search) {
        document.gap();
        tell(document, *explanation.search);
    }
    return document;
}

} // namespace alxsim::experiments
