// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace alxsim::alx {

/// A format that no reader reads, though many files have it.
struct ForeignFormat {
    std::string name;    ///< "a zip archive"
    std::string way_out; ///< what makes a file of it that is read
};

/// Names the format of a file whose content begins so, where its first bytes say it: archives,
/// arrays, tables, pages, text of two bytes a letter.
std::optional<ForeignFormat> binary_format(std::string_view beginning);

/// What a file's name says of it: nothing, that it may be METIS's, or another format.
enum class Named { nothing, metis, otherwise };

/// Names the format of text whose first lines say it: LIBSVM, METIS, KONECT, PBBS, XML, JSON and
/// pages. No adjacency list, edge list or table of ours is taken for one. `whole`: nothing is
/// behind `beginning`.
std::optional<ForeignFormat> text_format(std::string_view beginning, bool whole, Named named);

} // namespace alxsim::alx
