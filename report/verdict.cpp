// SPDX-License-Identifier: Apache-2.0
#include "report/verdict.h"

#include "report/words.h"
#include "report/worlds.h"

#include <algorithm>
#include <array>

namespace alxsim::report {
namespace {

const char* name_of(Verdict verdict)
{
    switch (verdict) {
    case Verdict::held:
        return "held";
    case Verdict::refuted:
        return "refuted";
    case Verdict::not_flat_yet:
        return "not flat yet";
    case Verdict::nothing:
        break;
    }
    return "nothing to judge";
}

/// Where so many draws say so.
const char* verdict_of(double held, double not_flat)
{
    return held >= settled_share       ? "held"
           : not_flat >= 0.5           ? "not flat yet"
           : held <= 1 - settled_share ? "refuted"
                                       : "undecided";
}

} // namespace

Judgement judgement_of(const Hypothesis& hypothesis, int draws,
                       const std::function<Verdict(int)>& judge)
{
    const Verdict with_central_values = judge(World::central);
    Judgement result{hypothesis.name,
                     hypothesis.claim,
                     hypothesis.series,
                     name_of(with_central_values),
                     {},
                     {},
                     {},
                     {},
                     Json::object()};
    if (draws > 0 && with_central_values != Verdict::nothing) {
        std::array<double, 4> shares{};
        for (int draw = 0; draw < draws; ++draw) {
            shares[static_cast<std::size_t>(judge(draw))] += 1.0 / draws;
        }
        const double held = std::min(1.0, shares[static_cast<std::size_t>(Verdict::held)]);
        const double not_flat = shares[static_cast<std::size_t>(Verdict::not_flat_yet)];
        result.verdict = verdict_of(held, not_flat);
        result.share = held;
        result.not_flat_yet_share = std::min(1.0, not_flat);
        result.draws = draws;
    }
    if (result.verdict == "held" || result.verdict == "refuted") {
        result.holds = result.verdict == "held";
    }
    return result;
}

std::string Judgement::verdict_in_words() const
{
    return verdict + (share ? ", true in " + percent_in_words(*share) + " of " +
                                  std::to_string(*draws) + " draws"
                            : "");
}

std::string share_in_words(const Judgement& judgement)
{
    return judgement.share
               ? "True in " + percent_in_words(*judgement.share) + " of " +
                     std::to_string(*judgement.draws) + " draws of all uncertain inputs. "
               : "";
}

} // namespace alxsim::report
