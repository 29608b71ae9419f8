// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/claims.h"

#include <functional>

namespace alxsim::report {

/// What one world says of a claim.
enum class Verdict { held, refuted, not_flat_yet, nothing };

/// A claim judged with central values (World::central) and in every draw, without figures.
Judgement judgement_of(const Hypothesis& hypothesis, int draws,
                       const std::function<Verdict(int draw)>& judge);

/// "True in 71 % of 256 draws of all uncertain inputs. "; "" without draws.
std::string share_in_words(const Judgement& judgement);

} // namespace alxsim::report
