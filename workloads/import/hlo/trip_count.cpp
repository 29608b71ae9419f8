// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/trip_count.h"

#include "base/input_error.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace alxsim::hlo {
namespace {

constexpr int deepest_chain = 200;
constexpr int most_steps = 20000; ///< of one loop: text may be made so that ways multiply

/// A whole number, or one of the arrays that enter a computation plus a whole number.
struct Linear {
    std::optional<std::size_t> leaf; ///< of its parameters, counted through in their order
    std::int64_t offset = 0;
};

/// What a fused computation stands in.
struct Frame {
    const Frame* outer;
    const Computation* computation;
    const Instruction* caller;
};

std::optional<Linear> plus(const Linear& a, const Linear& b, bool minus)
{
    Linear result = a;
    if (b.leaf && (a.leaf || minus)) {
        return std::nullopt;
    }
    if (b.leaf) {
        result.leaf = b.leaf;
    }
    const bool overflows = minus ? __builtin_sub_overflow(a.offset, b.offset, &result.offset)
                                 : __builtin_add_overflow(a.offset, b.offset, &result.offset);
    return overflows ? std::nullopt : std::optional<Linear>(result);
}

/// Follows values to where they come from.
class Values {
public:
    explicit Values(const Module& module) : module_(module)
    {
        for (const Computation& computation : module.computations) {
            for (const Instruction& instruction : computation.instructions) {
                if (instruction.is("while")) {
                    loops_.emplace(instruction.called_as("body"), Loop{&computation, &instruction});
                }
            }
        }
    }

    /// Array `leaf` of what an instruction gives.
    std::optional<Linear> of(const Computation& computation, const Instruction& instruction,
                             std::size_t leaf, const Frame* frame);
    /// A number that a loop around the computation does not change is what entered that loop.
    std::optional<std::int64_t> number(const Computation& computation,
                                       const std::optional<Linear>& value);
    /// Whether a round of the loop adds a constant to array `leaf` of its state, and which.
    bool changes_by(const Computation& body, std::size_t leaf, std::int64_t& step);
    void begin() { steps_ = 0; }

private:
    struct Loop {
        const Computation* around;
        const Instruction* loop;
    };

    std::optional<Linear> of_parameter(const Computation& computation,
                                       const Instruction& instruction, std::size_t leaf,
                                       const Frame* frame);
    std::optional<Linear> of_tuple(const Computation& computation, const Instruction& instruction,
                                   std::size_t leaf, const Frame* frame);
    std::optional<Linear> of_sum(const Computation& computation, const Instruction& instruction,
                                 const Frame* frame);
    std::optional<Linear> of_operand(const Computation& computation, const Instruction& instruction,
                                     std::size_t operand, std::size_t leaf, const Frame* frame);

    const Module& module_;
    std::unordered_map<int, Loop> loops_; ///< by the index of their bodies
    int depth_ = 0, steps_ = 0;
};

std::optional<Linear> Values::of_operand(const Computation& computation,
                                         const Instruction& instruction, std::size_t operand,
                                         std::size_t leaf, const Frame* frame)
{
    if (operand >= instruction.operands.size()) {
        return std::nullopt;
    }
    return of(computation, computation.operand(instruction, operand), leaf, frame);
}

std::optional<Linear> Values::of_parameter(const Computation& computation,
                                           const Instruction& instruction, std::size_t leaf,
                                           const Frame* frame)
{
    const auto number = static_cast<std::size_t>(whole_number(instruction.arguments).value_or(0));
    if (frame != nullptr) {
        return of_operand(*frame->computation, *frame->caller, number, leaf, frame->outer);
    }
    for (std::size_t i = 0; i < number; ++i) {
        const int before = computation.parameters[i];
        leaf += computation.instructions[static_cast<std::size_t>(before)].shape->leaves;
    }
    return Linear{leaf, 0};
}

std::optional<Linear> Values::of_tuple(const Computation& computation,
                                       const Instruction& instruction, std::size_t leaf,
                                       const Frame* frame)
{
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const std::size_t leaves = computation.operand(instruction, i).shape->leaves;
        if (leaf < leaves) {
            return of_operand(computation, instruction, i, leaf, frame);
        }
        leaf -= leaves;
    }
    return std::nullopt;
}

std::optional<Linear> Values::of_sum(const Computation& computation, const Instruction& instruction,
                                     const Frame* frame)
{
    const auto a = of_operand(computation, instruction, 0, 0, frame);
    const auto b = of_operand(computation, instruction, 1, 0, frame);
    return a && b ? plus(*a, *b, instruction.is("subtract")) : std::nullopt;
}

std::optional<Linear> Values::of(const Computation& computation, const Instruction& instruction,
                                 std::size_t leaf, const Frame* frame)
{
    if (depth_ > deepest_chain || ++steps_ > most_steps) {
        return std::nullopt;
    }
    struct Deeper {
        explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
        ~Deeper() { --depth_; }
        int& depth_;
    } const deeper(depth_);

    if (instruction.is("constant")) {
        const std::optional<std::int64_t> number = whole_number(instruction.arguments);
        return number ? std::optional<Linear>({std::nullopt, *number}) : std::nullopt;
    }
    if (instruction.is("parameter")) {
        return of_parameter(computation, instruction, leaf, frame);
    }
    if (instruction.is("get-tuple-element")) {
        const auto index = static_cast<std::size_t>(*whole_number(instruction.attribute("index")));
        const Shape& tuple = *computation.operand(instruction, 0).shape;
        return of_operand(computation, instruction, 0, first_leaf(tuple, index) + leaf, frame);
    }
    if (instruction.is("tuple") || instruction.is("opt-barrier")) {
        return of_tuple(computation, instruction, leaf, frame);
    }
    if (instruction.is("add") || instruction.is("subtract")) {
        return of_sum(computation, instruction, frame);
    }
    if (instruction.is("copy") || instruction.is("bitcast") || instruction.is("reshape") ||
        instruction.is("convert") || instruction.is("copy-start") || instruction.is("copy-done")) {
        return of_operand(computation, instruction, 0, 0, frame);
    }
    if (instruction.is("fusion") || instruction.is("call")) {
        const Computation& called = module_.called(instruction);
        const Frame inner{frame, &computation, &instruction};
        return of(called, called.root_instruction(), leaf, &inner);
    }
    std::int64_t step = 0;
    if (instruction.is("while") &&
        changes_by(module_.computations[static_cast<std::size_t>(instruction.called_as("body"))],
                   leaf, step) &&
        step == 0) {
        return of_operand(computation, instruction, 0, leaf, frame);
    }
    return std::nullopt;
}

bool Values::changes_by(const Computation& body, std::size_t leaf, std::int64_t& step)
{
    const auto after = of(body, body.root_instruction(), leaf, nullptr);
    if (!after || after->leaf != leaf) {
        return false;
    }
    step = after->offset;
    return true;
}

std::optional<std::int64_t> Values::number(const Computation& computation,
                                           const std::optional<Linear>& value)
{
    if (!value) {
        return std::nullopt;
    }
    if (!value->leaf) {
        return value->offset;
    }
    const auto found = loops_.find(static_cast<int>(&computation - module_.computations.data()));
    std::int64_t step = 0;
    if (found == loops_.end() || !changes_by(computation, *value->leaf, step) || step != 0) {
        return std::nullopt;
    }
    const auto entered =
        of_operand(*found->second.around, *found->second.loop, 0, *value->leaf, nullptr);
    const std::optional<std::int64_t> outside = number(*found->second.around, entered);
    const auto both = outside ? plus({std::nullopt, *outside}, {std::nullopt, value->offset}, false)
                              : std::nullopt;
    return both ? std::optional<std::int64_t>(both->offset) : std::nullopt;
}

/// counter DIRECTION limit, with the counter on the left.
struct Comparison {
    Linear counter;
    std::optional<Linear> limit;
    std::string direction;
};

std::string mirrored(std::string_view direction)
{
    const std::map<std::string_view, std::string> others{
        {"LT", "GT"}, {"GT", "LT"}, {"LE", "GE"}, {"GE", "LE"}};
    const auto found = others.find(direction);
    return found == others.end() ? std::string(direction) : found->second;
}

class TripFinder {
public:
    explicit TripFinder(const Module& module) : module_(module), values_(module) {}

    /// Fills in count, start, limit and step, or the problem.
    void find(TripCount& trip, const Computation& around, const Instruction& loop);

private:
    std::optional<Comparison> comparison_of(const Computation& computation,
                                            const Instruction& instruction, const Frame* frame,
                                            const Computation& body, int depth);
    std::string problem_of(TripCount& trip, const Computation& around, const Instruction& loop);

    const Module& module_;
    Values values_;
};

std::optional<Comparison> TripFinder::comparison_of(const Computation& computation,
                                                    const Instruction& instruction,
                                                    const Frame* frame, const Computation& body,
                                                    int depth)
{
    if (depth > deepest_chain) {
        return std::nullopt;
    }
    if (instruction.is("fusion")) {
        const Computation& called = module_.called(instruction);
        const Frame inner{frame, &computation, &instruction};
        return comparison_of(called, called.root_instruction(), &inner, body, depth + 1);
    }
    if (instruction.is("copy") || instruction.is("bitcast")) {
        return comparison_of(computation, computation.operand(instruction, 0), frame, body,
                             depth + 1);
    }
    if (!instruction.is("compare")) {
        return std::nullopt;
    }
    const auto left = values_.of(computation, computation.operand(instruction, 0), 0, frame);
    const auto right = values_.of(computation, computation.operand(instruction, 1), 0, frame);
    const std::string_view direction = instruction.attribute("direction");
    std::int64_t step = 0;
    if (left && left->leaf && values_.changes_by(body, *left->leaf, step) && step != 0) {
        return Comparison{*left, right, std::string(direction)};
    }
    if (right && right->leaf && values_.changes_by(body, *right->leaf, step) && step != 0) {
        return Comparison{*right, left, mirrored(direction)};
    }
    return std::nullopt;
}

/// Iterations of `for (i = start; i DIRECTION limit; i += step)`; nothing where it has no end that
/// way.
std::optional<std::int64_t> iterations(std::int64_t start, const std::string& direction,
                                       std::int64_t limit, std::int64_t step)
{
    std::int64_t distance = 0;
    if (direction == "LE" || direction == "GE") {
        if (__builtin_add_overflow(limit, direction == "LE" ? 1 : -1, &limit)) {
            return std::nullopt;
        }
    }
    const bool up = direction == "LT" || direction == "LE" || (direction == "NE" && step > 0);
    const bool down = direction == "GT" || direction == "GE" || (direction == "NE" && step < 0);
    if (__builtin_sub_overflow(up ? limit : start, up ? start : limit, &distance) ||
        step == std::numeric_limits<std::int64_t>::min() || !(up || down)) {
        return std::nullopt;
    }
    if (distance <= 0) {
        return direction == "NE" && distance < 0 ? std::nullopt : std::optional<std::int64_t>(0);
    }
    const std::int64_t pace = up ? step : -step;
    if (pace <= 0 || (direction == "NE" && distance % pace != 0)) {
        return std::nullopt;
    }
    return quotient_up(distance, pace);
}

std::string TripFinder::problem_of(TripCount& trip, const Computation& around,
                                   const Instruction& loop)
{
    const auto named = [&](const char* role) -> const Computation& {
        return module_.computations[static_cast<std::size_t>(loop.called_as(role))];
    };
    const Computation& condition = named("condition");
    const Computation& body = named("body");
    values_.begin();
    const auto compared = comparison_of(condition, condition.root_instruction(), nullptr, body, 0);
    if (!compared) {
        return "its condition compares no counter to which the body adds a constant";
    }
    values_.changes_by(body, *compared->counter.leaf, trip.step);
    const auto entering = [&](const Linear& value) {
        const auto entered = values_.of(around, around.operand(loop, 0), *value.leaf, nullptr);
        const auto outside = values_.number(around, entered);
        const auto both = outside
                              ? plus({std::nullopt, *outside}, {std::nullopt, value.offset}, false)
                              : std::nullopt;
        return both ? std::optional<std::int64_t>(both->offset) : std::nullopt;
    };
    const auto start = entering(compared->counter);
    if (!start) {
        return "the number that its counter begins at is computed by the program";
    }
    std::int64_t change = 0;
    std::optional<std::int64_t> limit;
    if (compared->limit && !compared->limit->leaf) {
        limit = compared->limit->offset;
    } else if (compared->limit && values_.changes_by(body, *compared->limit->leaf, change) &&
               change == 0) {
        limit = entering(*compared->limit);
    }
    if (!limit) {
        return "the number that its counter ends at is computed by the program";
    }
    trip.start = *start;
    trip.limit = *limit;
    trip.count = iterations(*start, compared->direction, *limit, trip.step);
    return trip.count ? "" : "its counter does not come to an end";
}

/// backend_config={"known_trip_count":{"n":"4"}}, which other compilers write.
std::optional<std::int64_t> count_by_the_compiler(const Instruction& loop)
{
    const std::string_view known =
        json_member(loop.attribute("backend_config"), "known_trip_count");
    const auto count = whole_number(without_quotes(json_member(known, "n")));
    return count && *count >= 0 ? count : std::nullopt;
}

void TripFinder::find(TripCount& trip, const Computation& around, const Instruction& loop)
{
    trip.problem = problem_of(trip, around, loop);
    if (!trip.count) {
        trip.count = count_by_the_compiler(loop);
        trip.problem = trip.count ? "" : trip.problem;
    }
}

std::string plain_name(const std::string& name)
{
    return name.rfind('%', 0) == 0 ? name.substr(1) : name;
}

void apply_given(std::vector<TripCount>& trips, const GivenTrips& given, const std::string& file)
{
    for (const auto& [name, count] : given) {
        bool found = false;
        for (TripCount& trip : trips) {
            if (trip.loop == plain_name(name)) {
                trip.count = count;
                trip.given = found = true;
                trip.problem.clear();
            }
        }
        std::vector<std::string> names;
        for (const TripCount& trip : trips) {
            names.push_back(trip.loop);
        }
        if (!found) {
            throw InputError(file, "",
                             "found a trip count for '" + name + "', which is no loop; allowed: " +
                                 (names.empty() ? "none, it has no loops" : join(names)) +
                                 did_you_mean(plain_name(name), names));
        }
        if (count < 0) {
            throw InputError(file, "",
                             "found " + std::to_string(count) + " trips of '" + name +
                                 "'; allowed: 0 and more");
        }
    }
}

} // namespace

std::vector<TripCount> trip_counts(const Module& module, const GivenTrips& given)
{
    TripFinder finder(module);
    std::vector<TripCount> trips;
    for (std::size_t c = 0; c < module.computations.size(); ++c) {
        const Computation& computation = module.computations[c];
        for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
            const Instruction& instruction = computation.instructions[i];
            if (instruction.is("while")) {
                TripCount trip;
                trip.loop = std::string(instruction.name);
                trip.computation = static_cast<int>(c);
                trip.instruction = static_cast<int>(i);
                finder.find(trip, computation, instruction);
                trips.push_back(std::move(trip));
            }
        }
    }
    apply_given(trips, given, module.file);
    return trips;
}

} // namespace alxsim::hlo
