// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace alxsim::experiments {

/// MPI has nothing to sleep on: messages are looked for so often.
inline constexpr std::chrono::milliseconds between_looks{5};

/// What ranks say to one another: a word, a point where it is about one, and the rest.
///
/// To each other: `hello` first (text: who they are; number: of points at once), and `alive` once a
/// second. To those that run points: `small POINT TASK` and `large POINT TASK` (point_task.h),
/// `end`, and `leave` where the job ends without a farewell. From them a point's `progress`,
/// `doing`, `tell`, `result`, `refused`, `failed` and `back` (not begun).
struct RankMessage {
    std::string word;
    std::size_t number = 0; ///< of the point, where it is about one
    std::string text;
};

std::string text_of(const RankMessage& message);
RankMessage rank_message(const std::string& text);

/// Who this process is: version of the program, host and process.
struct RankIdentity {
    std::string version;
    std::string host; ///< where its process number holds
    long process = 0;
};

std::string own_identity();
RankIdentity rank_identity(const std::string& text);
/// Whether it is known to be gone: only those of this host can be known of.
bool is_gone(const RankIdentity& identity);

} // namespace alxsim::experiments
