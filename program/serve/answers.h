// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/http/question.h"
#include "program/serve/playground.h"

namespace alxsim::program {

/// What a playground says to a question, by its name: the page's files, and JSON. What it refuses
/// has a status and words. Throws Stopped.
Answer answer_of(Playground& playground, const Question& question);

} // namespace alxsim::program
