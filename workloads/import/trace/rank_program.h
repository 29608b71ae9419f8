// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"

#include <optional>
#include <vector>

namespace alxsim::traces {

/// What a rank does: an op, or one end of a message.
struct RankOp {
    model::Op op; ///< of a message without work
    int meeting = -1;
    bool sends = false;
    std::optional<model::PairMessage> message = std::nullopt;
};

struct RankProgram {
    std::vector<RankOp> ops;
};

/// The programs of all ranks as one graph; a single one is that of all devices. Programs that
/// differ only in who sends to whom, in which group a rank is, and in how long what is fixed takes,
/// are the same ops for all: sends at one place of all programs whose receives stand next become a
/// permute, collectives at one place one of several groups. Otherwise ranks of equal programs are a
/// role.
model::OpGraph joined(std::vector<RankProgram> programs, int devices);

} // namespace alxsim::traces
