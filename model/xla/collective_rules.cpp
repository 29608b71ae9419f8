// SPDX-License-Identifier: Apache-2.0
#include "model/xla/collective_rules.h"

#include "base/json_document.h"
#include "base/memo.h"
#include "model/graph/resources.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace alxsim::model {
namespace {

const std::map<CollectiveKind, std::string>& kind_names()
{
    static const std::map<CollectiveKind, std::string> names{
        {CollectiveKind::all_gather, "all_gather"},
        {CollectiveKind::reduce_scatter, "reduce_scatter"},
        {CollectiveKind::all_reduce, "all_reduce"},
        {CollectiveKind::all_to_all, "all_to_all"},
        {CollectiveKind::permute, "permute"},
    };
    return names;
}

/// One line of a rule's `when`.
class Predicate {
public:
    Predicate(std::string name, const Json& wanted)
    {
        for (const auto& [ending, comparison] : {std::pair("_at_least", Comparison::at_least),
                                                 std::pair("_at_most", Comparison::at_most)}) {
            const std::string end = ending;
            if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) {
                name.resize(name.size() - end.size());
                comparison_ = comparison;
            }
        }
        for (const Json& one : wanted.is_array() ? wanted : Json::array({wanted})) {
            if (one.is_string()) {
                words_.push_back(one.get<std::string>());
            } else {
                number_ =
                    one.is_boolean() ? std::int64_t{one.get<bool>()} : one.get<std::int64_t>();
            }
        }
        if (words_.empty()) {
            fact_ = collective_fact(name);
        } else {
            word_ = name;
        }
    }

    bool is_of_words() const { return !words_.empty(); }

    bool holds(const CollectiveFacts& facts) const
    {
        if (is_of_words()) {
            const std::string& found = word_ == "chip"    ? facts.chip
                                       : word_ == "group" ? facts.group
                                                          : kind_names().at(facts.kind);
            return std::find(words_.begin(), words_.end(), found) != words_.end();
        }
        const std::int64_t found = facts.at(fact_);
        switch (comparison_) {
        case Comparison::at_least:
            return found >= number_;
        case Comparison::at_most:
            return found <= number_;
        case Comparison::equal:
            break;
        }
        return found == number_;
    }

private:
    enum class Comparison { equal, at_least, at_most };

    Comparison comparison_ = Comparison::equal;
    std::string word_; ///< chip, kind or group
    std::vector<std::string> words_;
    CollectiveFact fact_ = CollectiveFact::axes;
    std::int64_t number_ = 0;
};

using Predicates = std::vector<Predicate>;

bool all_hold(const Predicates& predicates, const CollectiveFacts& facts)
{
    return std::all_of(predicates.begin(), predicates.end(),
                       [&facts](const Predicate& one) { return one.holds(facts); });
}

struct Rule {
    Predicates when;
    std::vector<Predicates> one_of; ///< of which one must hold, too; none: no such demand
    Json use;
    std::string why;
    bool has_inner = false; ///< the rules decide for an all-reduce in its place, too

    /// As far as chip, kind and group say.
    bool may_hold(const CollectiveFacts& facts) const
    {
        return std::all_of(when.begin(), when.end(), [&facts](const Predicate& one) {
            return !one.is_of_words() || one.holds(facts);
        });
    }

    /// Where it may hold.
    bool holds(const CollectiveFacts& facts) const
    {
        const auto hold = [&facts](const Predicates& line) { return all_hold(line, facts); };
        const auto number_holds = [&facts](const Predicate& one) {
            return one.is_of_words() || one.holds(facts);
        };
        return std::all_of(when.begin(), when.end(), number_holds) &&
               (one_of.empty() || std::any_of(one_of.begin(), one_of.end(), hold));
    }
};

using RuleNumbers = std::vector<int>;
constexpr int no_rule = -1;

class RuleBook {
public:
    RuleBook()
    {
        const Json json =
            parse_json(resources().get("xla/collective_rules.json"), "xla/collective_rules.json");
        for (const auto& [chip, bytes] : json.at("reduce_scatter_span_bytes").items()) {
            if (bytes.is_number()) {
                span_limits_[chip] = Bytes(bytes.get<std::int64_t>());
            }
        }
        for (const Json& rule : json.at("rules")) {
            rules_.push_back(read(rule, json.at("named")));
            add_chips(rule.at("when"));
        }
    }

    bool knows(const std::string& chip) const { return chips_.count(chip) > 0; }
    Bytes span_limit(const std::string& chip) const
    {
        const auto found = span_limits_.find(chip);
        return found != span_limits_.end() ? found->second : span_limits_.at("others");
    }
    const Rule& rule(int number) const { return rules_[static_cast<std::size_t>(number)]; }
    /// Those that chip, kind and group leave, in their order: a tenth.
    std::shared_ptr<const RuleNumbers> rules_for(const CollectiveFacts& facts) const
    {
        return known_.get({facts.chip, facts.kind, facts.group}, [&] {
            auto numbers = std::make_shared<RuleNumbers>();
            for (std::size_t i = 0; i < rules_.size(); ++i) {
                if (rules_[i].may_hold(facts)) {
                    numbers->push_back(static_cast<int>(i));
                }
            }
            return std::shared_ptr<const RuleNumbers>(std::move(numbers));
        });
    }
    /// The one of `rules`, which are rules_for(facts), that decides; no_rule if none does.
    int deciding(const RuleNumbers& rules, const CollectiveFacts& facts) const
    {
        const auto found = std::find_if(rules.begin(), rules.end(),
                                        [&](int number) { return rule(number).holds(facts); });
        return found != rules.end() ? *found : no_rule;
    }

private:
    static Predicates read_lines(const Json& when)
    {
        Predicates lines;
        for (const auto& [name, wanted] : when.items()) {
            if (name != "is") {
                lines.emplace_back(name, wanted);
            }
        }
        return lines;
    }

    static Rule read(const Json& json, const Json& named)
    {
        const Json& when = json.at("when");
        Rule rule{read_lines(when), {}, json.at("use"), json.at("why").get<std::string>()};
        rule.has_inner = rule.use.contains("inner");
        if (when.contains("is")) {
            for (const Json& line : named.at(when.at("is").get<std::string>())) {
                rule.one_of.push_back(read_lines(line));
            }
        }
        return rule;
    }

    void add_chips(const Json& when)
    {
        if (!when.contains("chip")) {
            return;
        }
        const Json& chips = when.at("chip");
        for (const Json& chip : chips.is_array() ? chips : Json::array({chips})) {
            chips_.insert(chip.get<std::string>());
        }
    }

    std::map<std::string, Bytes> span_limits_;
    std::vector<Rule> rules_;
    std::set<std::string> chips_;
    mutable Memo<std::tuple<std::string, CollectiveKind, std::string>,
                 std::shared_ptr<const RuleNumbers>>
        known_{256};
};

const RuleBook& rule_book()
{
    static const RuleBook book;
    return book;
}

/// A number of colours, directions or phases: a number, or the name of a fact.
int count_of(const Json& use, const char* name, const CollectiveFacts& facts)
{
    if (!use.contains(name)) {
        return 0;
    }
    const Json& value = use.at(name);
    if (value.is_number()) {
        return value.get<int>();
    }
    const auto axes = static_cast<int>(facts.at(CollectiveFact::axes));
    const auto alike = static_cast<int>(facts.at(CollectiveFact::alike));
    const std::string word = value.get<std::string>();
    return word == "axes"      ? axes
           : word == "alike"   ? alike
           : word == "2*alike" ? 2 * alike
                               : std::min(3, axes + (facts.at(CollectiveFact::cores) > 1 ? 1 : 0));
}

/// Colours whose rings go one way each come in pairs of one order.
int turn_of(int colour, int directions, int turns)
{
    return (directions == 1 ? colour / 2 : colour) % turns;
}

void set_rings(const std::string& construction, const CollectiveFacts& facts, XlaChoice& choice)
{
    CollectiveAlgorithm& algorithm = choice.algorithm;
    const auto cores = static_cast<int>(facts.at(CollectiveFact::cores));
    const auto length = [&facts](int axis) {
        const auto found = std::find(facts.spanned.begin(), facts.spanned.end(), axis);
        return facts.lengths[static_cast<std::size_t>(found - facts.spanned.begin())];
    };
    if (construction == "one_ring") {
        const auto devices = static_cast<int>(facts.at(CollectiveFact::devices));
        algorithm.rings.assign(static_cast<std::size_t>(algorithm.colours), {devices});
        return;
    }
    const bool alike = construction == "alike_first";
    const std::vector<int> axes = alike ? alike_first(facts.spanned, facts.lengths) : facts.spanned;
    const auto turns =
        static_cast<int>(alike ? facts.at(CollectiveFact::alike) : facts.at(CollectiveFact::axes));
    for (int colour = 0; colour < algorithm.colours; ++colour) {
        std::vector<int> order = axes;
        const int turn = turn_of(colour, algorithm.directions, turns);
        std::rotate(order.begin(), order.begin() + turn, order.begin() + turns);
        std::vector<int> rings;
        std::transform(order.begin(), order.end(), std::back_inserter(rings), length);
        rings.front() *= cores;
        algorithm.rings.push_back(std::move(rings));
        choice.orders.push_back(std::move(order));
    }
}

CollectiveEngine engine_of(const Json& use)
{
    const std::string name = use.value("engine", "tensor_core");
    return name == "sparse_core" ? CollectiveEngine::sparse_core
           : name == "dma"       ? CollectiveEngine::dma
                                 : CollectiveEngine::tensor_core;
}

/// As the whole of what an inner algorithm decides.
CollectiveFacts as_all_reduce(CollectiveFacts facts)
{
    facts.kind = CollectiveKind::all_reduce;
    return facts;
}

/// What a rule says without an inner algorithm.
XlaChoice plain_choice(const Rule& rule, const CollectiveFacts& facts)
{
    const Json& use = rule.use;
    const std::string name = use.at("name").get<std::string>();
    XlaChoice choice;
    choice.algorithm = {name,
                        count_of(use, "colours", facts),
                        count_of(use, "directions", facts),
                        count_of(use, "phases", facts),
                        {},
                        engine_of(use)};
    choice.padded = use.value("padded", false);
    choice.hidden = name == "fastest";
    choice.why = rule.why;
    if (use.contains("rings")) {
        set_rings(use.at("rings").get<std::string>(), facts, choice);
    }
    return choice;
}

/// `inner`: what is chosen for the whole, where the rule leaves it to that.
std::optional<XlaChoice> choice_around(const Rule& rule, std::optional<XlaChoice> inner)
{
    if (inner && !inner->hidden) {
        inner->inner = std::exchange(inner->algorithm.name, rule.use.at("name").get<std::string>());
        inner->why = rule.why;
    }
    return inner;
}

std::optional<XlaChoice> choice_by_rules(const CollectiveFacts& facts)
{
    const RuleBook& book = rule_book();
    const int number = book.deciding(*book.rules_for(facts), facts);
    if (number == no_rule) {
        return std::nullopt;
    }
    const Rule& rule = book.rule(number);
    return rule.has_inner ? choice_around(rule, choice_by_rules(as_all_reduce(facts)))
                          : plain_choice(rule, facts);
}

/// "v5e"; nothing where the rules do not know the chip or do not speak of such a collective.
std::optional<std::string> known_chip(const Collective& collective, const CollectiveGroup& group,
                                      const topologies::Machine& machine)
{
    if (kind_names().count(collective.kind) == 0 || !group.twisted_rings.empty() ||
        group.devices <= 1 || collective.bytes <= Bytes(0)) {
        return std::nullopt;
    }
    const std::string& name = machine.preset.name();
    std::string chip = name.substr(name.find('_') + 1);
    return rule_book().knows(chip) ? std::optional(std::move(chip)) : std::nullopt;
}

} // namespace

std::optional<XlaChoice> xla_choice(const Collective& collective, const CollectiveGroup& group,
                                    const topologies::Machine& machine)
{
    const std::optional<std::string> chip = known_chip(collective, group, machine);
    return chip ? choice_by_rules(
                      facts_of(collective, group, machine, rule_book().span_limit(*chip)))
                : std::nullopt;
}

struct XlaChoicesBySize::Facts {
    struct Met {
        int rule = no_rule;
        int inner = no_rule;
        std::optional<XlaChoice> choice;
    };

    Facts(const Collective& collective, const CollectiveGroup& group,
          const topologies::Machine& machine)
        : element(size_of(collective.dtype).count()),
          slices(machine.slice.slices())
    {
        Collective sized = collective;
        sized.bytes = Bytes(1);
        const std::optional<std::string> chip = known_chip(sized, group, machine);
        known = chip.has_value();
        if (known) {
            span_limit = rule_book().span_limit(*chip);
            facts = facts_of(sized, group, machine, span_limit);
            whole = as_all_reduce(facts);
            rules = rule_book().rules_for(facts);
            rules_of_whole = rule_book().rules_for(whole);
        }
    }

    std::int64_t element;
    std::int64_t slices;
    bool known = false; ///< the rules speak of such collectives
    Bytes span_limit{0};
    CollectiveFacts facts;
    CollectiveFacts whole; ///< see as_all_reduce()
    std::shared_ptr<const RuleNumbers> rules;
    std::shared_ptr<const RuleNumbers> rules_of_whole;
    std::vector<Met> met;
};

XlaChoicesBySize::XlaChoicesBySize(const Collective& collective, const CollectiveGroup& group,
                                   const topologies::Machine& machine)
    : facts_(std::make_unique<Facts>(collective, group, machine))
{
}

XlaChoicesBySize::~XlaChoicesBySize() = default;
XlaChoicesBySize::XlaChoicesBySize(XlaChoicesBySize&&) noexcept = default;
XlaChoicesBySize& XlaChoicesBySize::operator=(XlaChoicesBySize&&) noexcept = default;

int XlaChoicesBySize::number_of(Bytes bytes)
{
    Facts& own = *facts_;
    if (!own.known || bytes <= Bytes(0)) {
        return -1;
    }
    set_sizes(bytes.count(), own.element, own.slices, own.span_limit, own.facts);
    own.whole.numbers = own.facts.numbers;
    const RuleBook& book = rule_book();
    const int rule = book.deciding(*own.rules, own.facts);
    if (rule == no_rule) {
        return -1;
    }
    const int inner =
        book.rule(rule).has_inner ? book.deciding(*own.rules_of_whole, own.whole) : no_rule;
    auto found = std::find_if(own.met.begin(), own.met.end(), [&](const Facts::Met& one) {
        return one.rule == rule && one.inner == inner;
    });
    if (found == own.met.end()) {
        found = own.met.insert(own.met.end(), {rule, inner, choice_by_rules(own.facts)});
    }
    return found->choice ? static_cast<int>(found - own.met.begin()) : -1;
}

const XlaChoice& XlaChoicesBySize::choice(int number) const
{
    return *facts_->met.at(static_cast<std::size_t>(number)).choice;
}

std::vector<XlaChoice> xla_choices(const Collective& collective, const CollectiveGroup& group,
                                   const topologies::Machine& machine)
{
    std::vector<XlaChoice> choices;
    const std::optional<std::string> chip = known_chip(collective, group, machine);
    if (!chip) {
        return choices;
    }
    std::set<std::pair<std::string, std::vector<std::vector<int>>>> seen;
    for (std::int64_t bytes = 1 << 12; bytes <= 1 << 28; bytes *= 8) {
        Collective sized = collective;
        sized.bytes = Bytes(bytes);
        CollectiveFacts facts = facts_of(sized, group, machine, rule_book().span_limit(*chip));
        std::sort(facts.spanned.begin(), facts.spanned.end());
        do {
            order_axes(group, facts);
            std::optional<XlaChoice> choice = choice_by_rules(facts);
            if (choice && seen.emplace(to_json(choice->algorithm).dump(), choice->orders).second) {
                choices.push_back(std::move(*choice));
            }
        } while (std::next_permutation(facts.spanned.begin(), facts.spanned.end()));
    }
    return choices;
}

} // namespace alxsim::model
