// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace alxsim::hlo {

/// One operation for each element of the result: add, select, convert, compare, ...
bool is_elementwise(std::string_view opcode);
/// Those of them that XLA counts apart from FLOP, as transcendentals: exp, log, tanh, sqrt, ...
bool is_transcendental(std::string_view opcode);
/// The custom calls of the compiler's own that do nothing: AllocateBuffer, SliceId, ...
bool is_free_custom_call(std::string_view target);
/// Takes no time by itself: parameters, tuples, bitcasts, the ends of asynchronous work.
bool is_free(std::string_view opcode);
/// Moves or selects elements: copy, slice, gather, transpose, sort, reduce, ...
bool is_known_work(std::string_view opcode);

bool ends_with(std::string_view text, std::string_view end);
bool begins_with(std::string_view text, std::string_view begin);

} // namespace alxsim::hlo
