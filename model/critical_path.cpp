// SPDX-License-Identifier: Apache-2.0
#include "model/critical_path.h"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <utility>

namespace alxsim::model {
namespace {

bool finishes_later(const Activity& a, const Activity& b)
{
    if (a.finish != b.finish) {
        return a.finish > b.finish;
    }
    return a.device != b.device ? a.device < b.device : a.op < b.op;
}

} // namespace

// --- Times

PathTimes::Shares& PathTimes::of(std::size_t phase)
{
    times_.resize(std::max(times_.size(), phase + 1));
    return times_[phase];
}

void PathTimes::book(std::int16_t phase, Share share, Picoseconds begin, Picoseconds end,
                     std::int64_t times)
{
    if (begin < end) {
        of(static_cast<std::size_t>(phase))[static_cast<std::size_t>(share)] +=
            (end - begin) * times;
    }
}

void PathTimes::add(const PathTimes& other, std::int64_t times)
{
    for (std::size_t phase = 0; phase < other.times_.size(); ++phase) {
        for (std::size_t share = 0; share < share_count; ++share) {
            of(phase)[share] += other.times_[phase][share] * times;
        }
    }
}

void PathTimes::stretch_to(Picoseconds total)
{
    std::vector<Picoseconds*> parts;
    Picoseconds sum(0);
    for (Shares& shares : times_) {
        for (Picoseconds& part : shares) {
            sum += part;
            parts.push_back(&part);
        }
    }
    if (sum != total && sum > Picoseconds(0)) {
        scale_exactly(parts, total.count(), sum.count(), total);
    }
}

Breakdown PathTimes::named(const std::vector<std::string>& phases) const
{
    Breakdown result;
    for (std::size_t phase = 0; phase < times_.size(); ++phase) {
        for (std::size_t share = 0; share < share_count; ++share) {
            result.add(phases[phase], static_cast<Share>(share), times_[phase][share]);
        }
    }
    return result;
}

Breakdown PathTimes::named(const PhaseNames& phases) const
{
    Breakdown result = named(phases.names());
    for (std::size_t phase = 0; phase < times_.size(); ++phase) {
        const std::string& axes = phases.names_of_axes()[phase];
        const Picoseconds time = times_[phase][static_cast<std::size_t>(Share::communication)];
        if (!axes.empty() && time > Picoseconds(0)) {
            result.axes[axes].exposed += time;
        }
    }
    return result;
}

// --- The way back

/// Follows the causes back, and unrolls the iterations that nobody recorded on the way.
class CriticalPath::Walk {
public:
    /// A moment on the path, and the activity that explains what is before it.
    struct Place {
        std::int64_t activity = Activity::no_cause;
        Picoseconds time{0};
    };
    static constexpr std::int64_t no_skip = -1;

    explicit Walk(const CriticalPath& path, std::vector<PathSpan>* spans = nullptr)
        : path_(path),
          spans_(spans)
    {
    }

    /// Walks back to `until`, or to what is folded or where the recorded iteration of `skip` begins
    /// if that comes first, and books every picosecond on the way `times` over.
    Place back(Place at, Picoseconds until, std::int64_t times, std::int64_t skip = no_skip)
    {
        while (leads_on(at, until)) {
            const Activity& activity = path_.at(at.activity);
            if (activity.repetition >= 0 && repetition(activity).skip == skip &&
                !stands_for_repetition(at.activity, activity)) {
                return at;
            }
            at = step(at, activity, until, times);
        }
        return at;
    }

    /// The same through one activity, or the repetition that it stands for.
    Place step(Place at, Picoseconds until) { return step(at, path_.at(at.activity), until, 1); }

    static bool leads_on(Place at, Picoseconds until)
    {
        return at.activity > Activity::no_cause && at.time > until;
    }

    /// What it has booked, as a leg that begins at `there`.
    Leg leg(Place there, Picoseconds from)
    {
        const bool goes_on = there.activity < Activity::no_cause && there.time > from;
        return {std::move(times_), there.time,
                goes_on ? static_cast<int>(folded(0) - there.activity) : nobody};
    }

    PathTimes& times() { return times_; }

private:
    struct Span {
        Picoseconds begin, end;
    };

    const Repetition& repetition(const Activity& activity) const
    {
        return path_.repetition_of(activity);
    }
    bool stands_for_repetition(std::int64_t index, const Activity& found) const
    {
        return found.repetition >= 0 && repetition(found).activity == index;
    }

    Place step(Place at, const Activity& activity, Picoseconds until, std::int64_t times)
    {
        if (stands_for_repetition(at.activity, activity)) {
            return through_repetition(at, until, times);
        }
        if (activity.repetition != Activity::whole_steps) {
            book(at.activity, activity, {until, at.time}, times);
        }
        return {activity.cause, activity.start};
    }

    /// Books the part of `within` that `activity` explains.
    void book(std::int64_t index, const Activity& activity, Span within, std::int64_t times)
    {
        const auto part = [&](Share share, Picoseconds begin, Picoseconds end) {
            begin = std::max(begin, within.begin);
            end = std::min(end, within.end);
            times_.book(activity.phase, share, begin, end, times);
            if (spans_ != nullptr && begin < end) {
                spans_->push_back({index, begin, end, activity.phase, share});
            }
        };
        const Picoseconds launched = std::min(activity.start + activity.launch, activity.finish);
        const Picoseconds filled = std::min(launched + activity.fill, activity.finish);
        // A gap between this finish and what it let start belongs to nobody on the path.
        part(Share::idle, activity.finish, within.end);
        part(activity.body, filled, activity.finish);
        part(fill_share(activity.body), launched, filled);
        part(Share::host, activity.start, launched);
    }

    /// Walks back through a repetition: every iteration is the recorded one, some periods later.
    /// The path may leave it on another device than it came from, and goes on from there through
    /// the iteration before; once it stays on one device, all that are left are walked as one.
    Place unroll(std::int64_t index, Picoseconds until)
    {
        std::int64_t left = repetition(path_.at(index)).times;
        const Picoseconds period = (path_.at(index).finish - path_.at(index).start) / left;
        bool settled = false;
        while (left > 0) {
            const Activity& skipped = path_.at(index);
            const Picoseconds end = skipped.start + period * left;
            const std::int64_t whole = std::min(left, (end - until).count() / period.count());
            const std::int64_t walked = settled && whole > 0 ? whole : 1;
            const Picoseconds recorded_until = until - period * left;
            const Place there = back({skipped.cause, skipped.start}, recorded_until, walked,
                                     repetition(skipped).skip);
            if (there.time <= recorded_until) {
                return {index, until};
            }
            if (there.activity <= Activity::no_cause) {
                throw std::logic_error("a path leaves a repetition before its first iteration");
            }
            const std::int64_t next = repetition(path_.at(there.activity)).activity;
            settled = next == index;
            index = next;
            left -= walked;
        }
        return {path_.at(index).cause, path_.at(index).start};
    }

    /// All that a path spends in a repetition; as one span, if spans are wanted. Where the recorded
    /// iteration stands for others that were not quite like it, its parts are stretched to theirs.
    Place through_repetition(Place at, Picoseconds until, std::int64_t times)
    {
        Walk inside(path_);
        const Place there = inside.unroll(at.activity, until);
        inside.times().stretch_to(path_.at(at.activity).finish - there.time);
        times_.add(inside.times(), times);
        if (spans_ != nullptr) {
            spans_->push_back({at.activity, there.time, at.time, 0, Share::idle, inside.times()});
        }
        return there;
    }

    const CriticalPath& path_;
    std::vector<PathSpan>* spans_; ///< the last first; null: nobody wants them
    PathTimes times_;
};

/// Walks back to one time that go on as one from where they meet. They meet soon: what a collective
/// has let start leads back to its last member on all devices.
class CriticalPath::MeetingWalks {
public:
    MeetingWalks(const CriticalPath& path, std::size_t walks, Picoseconds from)
        : path_(path),
          from_(from),
          walks_(walks),
          parts_(walks, Part(path))
    {
    }

    void begin(std::size_t walk, Walk::Place at) { go_on(walk, at); }

    /// Returns the legs of the walks, when all have begun.
    Legs legs()
    {
        while (!ways_.empty()) {
            const Way way = take_first();
            go_on(way.part, parts_[way.part].walk.step(way.at, from_));
        }
        Legs legs(parts_.size());
        for (std::size_t part = parts_.size(); part-- > 0;) {
            Part& ended = parts_[part];
            legs[part] =
                ended.goes_on_as == 0 ? ended.walk.leg(ended.end, from_) : legs[ended.goes_on_as];
            if (ended.goes_on_as != 0) {
                legs[part].times.add(ended.walk.times());
            }
        }
        legs.resize(walks_);
        return legs;
    }

private:
    /// A walk until it meets another, or what some are from there on.
    struct Part {
        explicit Part(const CriticalPath& path) : walk(path) {}
        Walk walk;
        Walk::Place end;
        std::size_t goes_on_as = 0; ///< a part that begins later, or 0
    };
    struct Way {
        Walk::Place at;
        std::size_t part = 0;

        bool meets(const Way& other) const
        {
            return at.activity == other.at.activity && at.time == other.at.time;
        }
        /// Causes have lower numbers.
        bool operator<(const Way& other) const
        {
            return at.activity != other.at.activity ? at.activity < other.at.activity
                                                    : at.time < other.at.time;
        }
    };

    void go_on(std::size_t part, Walk::Place at)
    {
        if (Walk::leads_on(at, from_)) {
            ways_.push({at, part});
        } else {
            parts_.at(part).end = at;
        }
    }

    /// The last one, as one with those that have met it.
    Way take_first()
    {
        Way first = ways_.top();
        ways_.pop();
        if (ways_.empty() || !ways_.top().meets(first)) {
            return first;
        }
        parts_.emplace_back(path_);
        const std::size_t one = parts_.size() - 1;
        parts_[first.part].goes_on_as = one;
        for (; !ways_.empty() && ways_.top().meets(first); ways_.pop()) {
            parts_[ways_.top().part].goes_on_as = one;
        }
        first.part = one;
        return first;
    }

    const CriticalPath& path_;
    Picoseconds from_;
    std::size_t walks_;
    std::vector<Part> parts_; ///< the walks, then those that they go on as
    std::priority_queue<Way> ways_;
};

// --- The path

/// Where it is, if it is kept.
std::optional<std::size_t> CriticalPath::find(std::int64_t activity) const
{
    if (activity >= first_in_a_row_) {
        return sparse_.size() + static_cast<std::size_t>(activity - first_in_a_row_);
    }
    const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), activity);
    if (found == sparse_.end() || *found != activity) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - sparse_.begin());
}

std::size_t CriticalPath::index_of(std::int64_t activity) const
{
    const std::optional<std::size_t> index = find(activity);
    if (!index) {
        throw std::logic_error("a path leads to an activity that is forgotten");
    }
    return *index;
}

std::int64_t CriticalPath::number_of(std::size_t index) const
{
    return index < sparse_.size()
               ? sparse_[index]
               : first_in_a_row_ + static_cast<std::int64_t>(index - sparse_.size());
}

void CriticalPath::add(const Activity& activity)
{
    activities_.push_back(activity);
    finish_ = std::max(finish_, activity.finish);
}

void CriticalPath::repeats(std::int64_t since, std::int64_t times, std::int64_t skip)
{
    const std::int64_t last = added() - 1;
    const std::int64_t number = first_repetition_ + static_cast<std::int64_t>(repetitions_.size());
    at(since).repetition = number;
    at(last).repetition = number;
    repetitions_.push_back({last, times, skip});
}

/// What is before `time`, back to `from` or to an entry of the last fold, where `activity` explains
/// it.
CriticalPath::Leg CriticalPath::leg_to(std::int64_t activity, Picoseconds time,
                                       Picoseconds from) const
{
    Walk walk(*this);
    const Walk::Place there = walk.back({activity, time}, from, 1);
    return walk.leg(there, from);
}

/// [device]: the legs to entries.
CriticalPath::Legs CriticalPath::legs_to(const std::vector<std::int64_t>& entries,
                                         Picoseconds from) const
{
    MeetingWalks walks(*this, entries.size(), from);
    for (const std::int64_t number : entries) {
        const Activity& entry = at(number);
        walks.begin(static_cast<std::size_t>(entry.device), {entry.cause, entry.start});
    }
    return walks.legs();
}

CriticalPath::Leg CriticalPath::joined(const Leg& leg, const Legs& before)
{
    Leg result = leg;
    if (leg.before != nobody) {
        const Leg& earlier = before[static_cast<std::size_t>(leg.before)];
        result.times.add(earlier.times);
        result.reached = earlier.reached;
        result.before = earlier.before;
    }
    return result;
}

CriticalPath::Legs CriticalPath::joined(const Legs& legs, const Legs& before)
{
    Legs result;
    for (const Leg& leg : legs) {
        result.push_back(joined(leg, before));
    }
    return result;
}

void CriticalPath::fold(const std::vector<std::int64_t>& entries, Picoseconds from)
{
    Legs legs = legs_to(entries, from);
    entries_.resize(entries.size());
    for (const std::int64_t number : entries) {
        const int device = at(number).device;
        entries_.at(static_cast<std::size_t>(device)) = number;
        at(number).cause = folded(device);
    }
    folded_ = joined(legs, folded_);
    legs_.push_back(std::move(legs));
    if (legs_.size() > longest_cycle) {
        legs_.pop_front();
    }
    forget_before(*std::min_element(entries.begin(), entries.end()));
}

void CriticalPath::repeat_folds(std::int64_t cycle, std::int64_t rounds)
{
    const auto last = legs_.rbegin();
    Legs power = *last; // a round, two, four, ...
    for (std::int64_t i = 1; i < cycle; ++i) {
        power = joined(power, *(last + i));
    }
    if (std::any_of(power.begin(), power.end(),
                    [](const Leg& leg) { return leg.before == nobody; })) {
        throw std::logic_error("a path ends in steps that were left out");
    }
    for (; rounds > 0; rounds /= 2) {
        if (rounds % 2 == 1) {
            folded_ = joined(power, folded_);
        }
        power = joined(power, power);
    }
}

void CriticalPath::forget_before(std::int64_t activity)
{
    const std::size_t gone = index_of(activity);
    activities_.erase(activities_.begin(), activities_.begin() + static_cast<std::ptrdiff_t>(gone));
    const std::size_t sparse_gone = std::min(gone, sparse_.size());
    sparse_.erase(sparse_.begin(), sparse_.begin() + static_cast<std::ptrdiff_t>(sparse_gone));
    first_in_a_row_ = std::max(first_in_a_row_, activity);
    const auto first_kept = std::find_if(
        repetitions_.begin(), repetitions_.end(),
        [activity](const Repetition& repetition) { return repetition.activity >= activity; });
    first_repetition_ += first_kept - repetitions_.begin();
    repetitions_.erase(repetitions_.begin(), first_kept);
}

void CriticalPath::forget_all_but(const std::vector<std::int64_t>& live)
{
    const std::vector<bool> reached = reached_from(live);
    const std::int64_t next = added();
    std::vector<std::int64_t> numbers;
    std::size_t left = 0;
    for (std::size_t index = 0; index < activities_.size(); ++index) {
        if (reached[index]) {
            numbers.push_back(number_of(index));
            activities_[left++] = activities_[index];
        }
    }
    activities_.resize(left);
    sparse_ = std::move(numbers);
    first_in_a_row_ = next;
}

/// [index]: whether a path may lead there. From where a repetition was recorded it goes on as from
/// the iterations that were not.
std::vector<bool> CriticalPath::reached_from(const std::vector<std::int64_t>& live) const
{
    std::vector<bool> reached(activities_.size(), false);
    std::vector<std::int64_t> next = live;
    for (std::size_t index = 0; index < activities_.size(); ++index) {
        if (activities_[index].finish == finish_) {
            next.push_back(number_of(index));
        }
    }
    while (!next.empty()) {
        const std::optional<std::size_t> index = find(next.back());
        next.pop_back();
        if (!index || reached[*index]) {
            continue;
        }
        reached[*index] = true;
        const Activity& activity = activities_[*index];
        next.push_back(activity.cause);
        if (activity.repetition >= 0) {
            next.push_back(repetition_of(activity).activity);
        }
    }
    return reached;
}

/// Whether it is not one of those that stand between entries, with nothing before them any more.
bool CriticalPath::leads_on(std::size_t index) const
{
    const auto device = static_cast<std::size_t>(activities_[index].device);
    return device >= entries_.size() || number_of(index) >= entries_[device];
}

/// Its number, or no_cause.
std::int64_t CriticalPath::last_to_finish() const
{
    const Activity* last = nullptr;
    std::int64_t number = Activity::no_cause;
    for (std::size_t index = 0; index < activities_.size(); ++index) {
        const Activity& activity = activities_[index];
        if (leads_on(index) && (last == nullptr || finishes_later(activity, *last))) {
            last = &activity;
            number = number_of(index);
        }
    }
    return number;
}

PathTimes CriticalPath::times(Picoseconds from) const
{
    const std::int64_t last = last_to_finish();
    if (last == Activity::no_cause) {
        return {};
    }
    const Leg leg = leg_to(last, at(last).finish, from);
    Leg path = joined(leg, folded_);
    path.times.book(at(last).phase, Share::idle, from, path.reached, 1);
    return path.times;
}

std::vector<PathSpan> CriticalPath::spans(Picoseconds from) const
{
    const std::int64_t last = last_to_finish();
    if (last == Activity::no_cause) {
        return {};
    }
    if (!entries_.empty()) {
        throw std::logic_error("a path that was folded has no spans");
    }
    std::vector<PathSpan> spans;
    Walk walk(*this, &spans);
    const Walk::Place there = walk.back({last, at(last).finish}, from, 1);
    if (there.time > from) { // as breakdown() has it
        spans.push_back({last, from, there.time, at(last).phase, Share::idle});
    }
    std::reverse(spans.begin(), spans.end());
    return spans;
}

} // namespace alxsim::model
