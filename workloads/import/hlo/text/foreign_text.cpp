// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/foreign_text.h"

#include "base/input_error.h"
#include "base/printable.h"
#include "workloads/import/hlo/text/text_cursor.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

constexpr const char* how_to_compile = "\nOn Linux or in Colab (no TPU is needed):\n"
                                       "    pip install \"jax[tpu]\"\n"
                                       "    alxsim-dump-hlo TOPOLOGY FILE.py:FUNCTION -o DIR";

bool is_mlir(std::string_view text)
{
    const std::string_view head = text.substr(0, 4096);
    const auto begins = [&](std::string_view word) {
        return head.compare(0, word.size(), word) == 0;
    };
    return begins("ML\xefR") || begins("module ") || begins("module{") || begins("#loc") ||
           begins("func.func") || head.find("stablehlo.") != std::string_view::npos ||
           head.find("mhlo.") != std::string_view::npos;
}

/// Control characters that no text has.
bool is_binary(std::string_view text)
{
    const std::string_view head = text.substr(0, 4096);
    return std::any_of(head.begin(), head.end(), [](char character) {
        const auto byte = static_cast<unsigned char>(character);
        return byte < 32 && character != '\n' && character != '\r' && character != '\t';
    });
}

} // namespace

void refuse_foreign_text(std::string_view text, const std::string& file)
{
    TextCursor cursor(text, file);
    const std::string place = "line 1, column 1";
    if (is_mlir(text) && !cursor.begins("HloModule")) {
        throw InputError(file, place,
                         "found StableHLO (MLIR), which is not yet divided among devices, fused or "
                         "scheduled; allowed: HLO text that XLA has compiled." +
                             std::string(how_to_compile));
    }
    if (is_binary(text)) {
        throw InputError(file, place,
                         "found binary data, as a serialized protobuf (HloProto, XSpace) is; "
                         "allowed: HLO text, as compiled.as_text() of JAX gives it." +
                             std::string(how_to_compile));
    }
    cursor.skip_blank_lines();
    if (cursor.begins("HloModule")) {
        return;
    }
    if (cursor.peek() == '{' || cursor.peek() == '[') {
        cursor.refuse(cursor.position(),
                      "found JSON; allowed: HLO text, which begins with HloModule (its NAME.json "
                      "is read beside it)");
    }
    cursor.fail("HLO text, which begins with HloModule");
}

} // namespace alxsim::hlo
