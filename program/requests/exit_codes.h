// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::program {

inline constexpr int exit_failed = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_refuted =
    3; ///< a hypothesis; or points lack times, of which all are needed
inline constexpr int exit_interrupted = 130; ///< as shells count a Ctrl-C

} // namespace alxsim::program
