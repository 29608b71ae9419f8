// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/between.h"

#include "base/input_error.h"
#include "experiments/answers/explain/text.h"
#include "experiments/points/study/study.h"
#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alxsim::experiments {
namespace {

using report::percent_in_words;
using report::Point;
using report::seconds_in_words;

/// "/workload/transformer/microbatches" -> "microbatches"
std::string last_name(const std::string& pointer)
{
    return pointer.substr(pointer.rfind('/') + 1);
}

std::string words_of(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_once(std::vector<std::string>& list, const std::string& one)
{
    if (std::find(list.begin(), list.end(), one) == list.end()) {
        list.push_back(one);
    }
}

/// A point of a series, looked for by what is asked.
class End {
public:
    End(std::string option, const std::vector<std::string>& asked, const report::Series& series,
        const std::vector<Point>& points)
        : option_(std::move(option)),
          asked_(asked),
          series_(series),
          points_(points),
          left_(series.points)
    {
    }

    std::size_t find()
    {
        for (const std::string& setting : asked_) {
            keep(setting);
        }
        if (left_.size() > 1) {
            refuse("found '" + join(asked_) + "', which are " + std::to_string(left_.size()) +
                   " points; allowed: one; say also " + join(fields_apart(), " or "));
        }
        const Point& point = points_.at(left_.front());
        if (!point.result) {
            refuse("found '" + join(asked_) + "', a point that " +
                   (point.error ? "failed: " + *point.error : "does not fit into memory") +
                   "; allowed: one with a time");
        }
        return left_.front();
    }

private:
    [[noreturn]] void refuse(const std::string& problem) const
    {
        throw InputError(option_, "series '" + series_.name + "'", problem);
    }

    void keep(const std::string& setting)
    {
        const std::size_t sign = setting.find('=');
        if (sign == std::string::npos) {
            refuse("found '" + setting + "'; allowed: FIELD=VALUE, like " + example());
        }
        const std::string pointer = pointer_of(setting.substr(0, sign));
        const std::string text = setting.substr(sign + 1);
        const Json wanted = Json::parse(text, nullptr, false);
        std::vector<std::size_t> kept;
        std::vector<std::string> values;
        for (const std::size_t index : left_) {
            const Json* const value = points_.at(index).sweep.find(pointer);
            if (value != nullptr && (*value == wanted || words_of(*value) == text)) {
                kept.push_back(index);
            } else if (value != nullptr) {
                add_once(values, words_of(*value));
            }
        }
        if (kept.empty()) {
            refuse("found '" + setting + "'; allowed: " + last_name(pointer) + " of " +
                   join(values));
        }
        left_ = std::move(kept);
    }

    std::string pointer_of(const std::string& field) const
    {
        std::vector<std::string> names;
        for (const std::string& pointer : swept()) {
            if (pointer == field || last_name(pointer) == field) {
                return pointer;
            }
            names.push_back(last_name(pointer));
        }
        refuse(names.empty() ? "found '" + field + "'; but the series sweeps nothing"
                             : "found '" + field + "', which the series does not sweep" +
                                   did_you_mean(field, names) + "; allowed: " + join(names));
    }

    std::vector<std::string> swept() const
    {
        std::vector<std::string> pointers;
        for (const std::size_t index : series_.points) {
            for (const auto& [pointer, value] : points_.at(index).sweep) {
                add_once(pointers, pointer);
            }
        }
        return pointers;
    }

    /// Names of fields by which the points that are left differ.
    std::vector<std::string> fields_apart() const
    {
        std::vector<std::string> names;
        const Settings& first = points_.at(left_.front()).sweep;
        for (const std::size_t index : left_) {
            for (const auto& [pointer, value] : points_.at(index).sweep) {
                const Json* const other = first.find(pointer);
                if (other == nullptr || *other != value) {
                    add_once(names, last_name(pointer));
                }
            }
        }
        return names;
    }

    std::string example() const
    {
        for (const std::size_t index : series_.points) {
            for (const auto& [pointer, value] : points_.at(index).sweep) {
                return last_name(pointer) + "=" + words_of(value);
            }
        }
        return "cores=64";
    }

    std::string option_;
    const std::vector<std::string>& asked_;
    const report::Series& series_;
    const std::vector<Point>& points_;
    std::vector<std::size_t> left_;
};

/// What either has, the largest changes first.
std::vector<PartChange> changes_of(const Named<double>& from, const Named<double>& to)
{
    std::vector<PartChange> changes;
    const auto part = [&changes](const std::string& name) -> PartChange& {
        const auto known = std::find_if(changes.begin(), changes.end(),
                                        [&](const auto& one) { return one.name == name; });
        return known == changes.end() ? changes.emplace_back(PartChange{name}) : *known;
    };
    for (const auto& [name, seconds] : from) {
        part(name).from_seconds = seconds;
    }
    for (const auto& [name, seconds] : to) {
        part(name).to_seconds = seconds;
    }
    std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
        return std::abs(a.change()) > std::abs(b.change());
    });
    return changes;
}

constexpr double near = 0.1; ///< work that changes by less stays as it is

/// "bubble (1.42 s to 159 ms), hbm (334 ms to 169 ms)": those that change in this direction by a
/// hundredth of the longer interval and more; none: "".
std::string parts_in_words(const std::vector<PartChange>& parts, bool grow, double longer)
{
    std::vector<std::string> words;
    for (const PartChange& part : parts) {
        if ((part.change() > 0) == grow && std::abs(part.change()) >= 0.01 * longer) {
            words.push_back(part.name + " (" + seconds_in_words(part.from_seconds) + " to " +
                            seconds_in_words(part.to_seconds) + ")");
        }
    }
    return join(words);
}

void tell(Document& document, const std::string& by, const std::vector<PartChange>& parts,
          double longer)
{
    const std::string grown = parts_in_words(parts, true, longer);
    const std::string shrunk = parts_in_words(parts, false, longer);
    document.item(by + ", " + (grown.empty() ? "nothing grows" : "what grows: " + grown) + "; " +
                  (shrunk.empty() ? "nothing shrinks" : "what shrinks: " + shrunk) + ".");
}

/// Whether a kind of work is how often something is done, not how much of it.
bool counts_pieces(const std::string& kind)
{
    return kind == "ops" || kind == "steps" || kind == "loop_rounds" ||
           kind == "collective_launches";
}

/// Why a phase takes longer or less: the work that changed, or that none did.
void tell_work(Document& document, const PartChange& phase)
{
    std::vector<std::string> amounts;
    std::vector<std::string> pieces;
    for (const WorkChange& change : phase.work) {
        if (!change.ratio || std::abs(*change.ratio - 1) > near) {
            (counts_pieces(change.kind) ? pieces : amounts)
                .push_back(change.words + " (" + count_in_words(change.first) + ", then " +
                           count_in_words(change.last) + ")");
        }
    }
    document.item(phase.name + ": " +
                  (!amounts.empty() ? "a device's work changes: " + join(amounts)
                   : !pieces.empty()
                       ? "a device's work is the same in other pieces: " + join(pieces)
                       : "a device's work stays as it is: the same takes another time") +
                  ".");
}

/// Computing that takes more of the time while communication takes less, and no phase has more
/// work.
void tell_moved_time(Document& document, const PointsBetween& between, double longer)
{
    const auto change = [&](const std::string& name) {
        const auto found = std::find_if(between.resources.begin(), between.resources.end(),
                                        [&](const PartChange& part) { return part.name == name; });
        return found == between.resources.end() ? 0 : found->change() / longer;
    };
    const auto has_other_work = [](const PartChange& phase) {
        return std::any_of(phase.work.begin(), phase.work.end(), [](const WorkChange& work) {
            return !work.ratio || std::abs(*work.ratio - 1) > near;
        });
    };
    if (change("compute") > near && change("communication") < -near &&
        std::none_of(between.phases.begin(), between.phases.end(), has_other_work)) {
        document.paragraph(
            "Nothing is computed more slowly: where a collective runs beside computing, the time "
            "counts as that of whichever takes longer, and it is now the computing.");
    }
}

/// Those of `settings` that `others` has otherwise.
std::string difference_in_words(const Settings& settings, const Settings& others)
{
    Settings different;
    for (const auto& [pointer, value] : settings) {
        const Json* const other = others.find(pointer);
        if (other == nullptr || *other != value) {
            different.set(pointer, value);
        }
    }
    return settings_in_words(different);
}

/// "71% less", "2.5 times as long"
std::string change_in_words(double from, double to)
{
    const double ratio = to / from;
    return ratio >= 2 ? report::in_words(ratio) + " times as long"
                      : percent_in_words(std::abs(ratio - 1)) + (ratio < 1 ? " less" : " more");
}

} // namespace

EndPair ends_of(const Ends& ends, const report::Series& series, const std::vector<Point>& points)
{
    const EndPair pair{End("--from", ends.from, series, points).find(),
                       End("--to", ends.to, series, points).find()};
    const Point& from = points.at(pair.from);
    const Point& to = points.at(pair.to);
    const auto refuse = [&series](const std::string& problem) {
        throw InputError("--to", "series '" + series.name + "'", problem);
    };
    if (pair.from == pair.to) {
        refuse("found the point of --from; allowed: another one");
    }
    const std::string one = report::interval_words(*from.result).one;
    const std::string other = report::interval_words(*to.result).one;
    if (one != other) {
        refuse("found the time of " + report::interval_words(*to.result).with_article() +
               ", that of --from is of " + report::interval_words(*from.result).with_article() +
               "; allowed: two times of the same");
    }
    return pair;
}

std::vector<EndPair> ends_of(std::size_t fastest, const std::vector<std::size_t>& fitting)
{
    std::vector<EndPair> pairs;
    for (const EndPair& pair :
         {EndPair{fitting.front(), fastest}, EndPair{fastest, fitting.back()}}) {
        if (pair.from != pair.to) {
            pairs.push_back(pair);
        }
    }
    return pairs;
}

std::vector<EndPair> ends_from(std::size_t preset, std::size_t fastest,
                               const std::vector<std::size_t>& fitting,
                               const std::vector<Point>& points)
{
    const std::size_t slowest =
        *std::max_element(fitting.begin(), fitting.end(), [&](std::size_t a, std::size_t b) {
            return points.at(a).seconds() < points.at(b).seconds();
        });
    const std::size_t to = preset == fastest ? slowest : fastest;
    return to == preset ? std::vector<EndPair>() : std::vector<EndPair>{{preset, to}};
}

PointsBetween changes_between(const Point& from, const Point& to)
{
    const report::Breakdown& before = from.result->epoch;
    const report::Breakdown& after = to.result->epoch;
    PointsBetween between;
    between.from = from.sweep;
    between.to = to.sweep;
    between.interval = report::interval_words(*from.result);
    between.from_seconds = before.seconds;
    between.to_seconds = after.seconds;
    between.resources = changes_of(report::resources_of(before), report::resources_of(after));
    between.phases = changes_of(before.phases, after.phases);
    return between;
}

void count_work(PointsBetween& between, const RebuiltPoint& from, const RebuiltPoint& to)
{
    PhaseWork before = work_of(from);
    PhaseWork after = work_of(to);
    for (PartChange& phase : between.phases) {
        for (const WorkKind& kind : work_kinds()) {
            const double first = before[phase.name][kind.key];
            const double last = after[phase.name][kind.key];
            if (first > 0 || last > 0) {
                phase.work.push_back({kind.key,
                                      kind.words,
                                      first,
                                      last,
                                      first > 0 ? std::optional(last / first) : std::nullopt,
                                      {}});
            }
        }
    }
}

void tell(Document& document, const PointsBetween& between)
{
    constexpr std::size_t most_phases = 3; // whose work is told
    const double longer = std::max(between.from_seconds, between.to_seconds);
    document.paragraph("From " + difference_in_words(between.from, between.to) + " to " +
                       difference_in_words(between.to, between.from) + ", " +
                       between.interval.with_article() + " takes " +
                       seconds_in_words(between.from_seconds) + ", then " +
                       seconds_in_words(between.to_seconds) + ", " +
                       change_in_words(between.from_seconds, between.to_seconds) + ":");
    tell(document, "By what it waits for", between.resources, longer);
    tell_moved_time(document, between, longer);
    tell(document, "By phase", between.phases, longer);
    std::size_t told = 0;
    for (const PartChange& phase : between.phases) {
        if (told < most_phases && !phase.work.empty() &&
            std::abs(phase.change()) >= 0.01 * longer) {
            tell_work(document, phase);
            ++told;
        }
    }
}

} // namespace alxsim::experiments
