// SPDX-License-Identifier: Apache-2.0
#include "alx/data/found_format.h"

#include "alx/files/byte_source.h"
#include "alx/files/foreign_format.h"
#include "alx/files/lines_in_text.h"
#include "alx/table/link_columns.h"
#include "base/input_error.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

namespace alxsim::alx {
namespace {

namespace fs = std::filesystem;

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// By the file's name alone, without its folder and what compressed it; "" if it says nothing.
std::string format_by_name(const std::string& name)
{
    static const std::vector<std::pair<std::string, std::string>> endings{
        {"u.data", "movielens"},   {"ratings.dat", "movielens"},
        {".mtx", "matrix_market"}, {".tsv", "edges"},
        {".csv", "edges"},         {".edges", "edges"},
        {".graph", "bvgraph"},     {".properties", "bvgraph"}};
    for (const auto& [ending, format] : endings) {
        if (ends_with(name, ending)) {
            return format;
        }
    }
    return name.find(".tfrecord") != std::string::npos ? "webgraph_tfrecord" : "";
}

/// The first 128 KiB of a file's content, or all of it: as fields they take twenty times as much.
struct Beginning {
    std::string text;
    bool whole = false;
};

/// Without a byte order mark, and with line feeds where there are carriage returns alone.
void use_usual_line_ends(std::string& text)
{
    if (text.substr(0, 3) == "\xef\xbb\xbf") {
        text.erase(0, 3);
    }
    if (text.find('\n') == std::string::npos) {
        std::replace(text.begin(), text.end(), '\r', '\n');
    }
}

/// Returns nothing of what is damaged or no regular file: reading will say what is wrong with it,
/// and a pipe gives its bytes but once.
Beginning beginning_of(const std::string& path)
{
    constexpr std::size_t most = 1 << 17;
    Beginning beginning;
    std::error_code no_file;
    if (!fs::is_regular_file(path, no_file)) {
        return beginning;
    }
    try {
        beginning.text.resize(most);
        ByteSource source(path);
        beginning.text.resize(source.read(beginning.text.data(), most));
        beginning.whole = beginning.text.size() < most;
        use_usual_line_ends(beginning.text);
    } catch (const InputError&) {
        beginning.text.clear();
    }
    return beginning;
}

void refuse(const std::string& path, const std::string& place,
            const std::optional<ForeignFormat>& foreign)
{
    if (foreign) {
        throw InputError(path, place,
                         "found " + foreign->name + ", which is not read; " + foreign->way_out);
    }
}

bool is_decimal(std::string_view token)
{
    return !token.empty() && token.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// What all lines but comments have in common.
struct Lines {
    explicit Lines(std::vector<TextLine> all)
    {
        for (TextLine& line : all) {
            if (line.comment) {
                names_nodes = names_nodes || line.text.find("FromNodeId") != line.text.npos;
                has_comments = true;
            } else if (!line.tokens.empty()) {
                data.push_back(std::move(line));
            }
        }
        std::set<std::string_view> firsts;
        for (const TextLine& line : data) {
            are_alike = are_alike && line.tokens.size() == data[0].tokens.size() &&
                        std::all_of(line.tokens.begin(), line.tokens.end(), is_decimal);
            first_repeats = first_repeats || !firsts.insert(line.tokens[0]).second;
            have_attributes = have_attributes && line.tokens.size() > 2 &&
                              line.tokens[2].front() == '{' && is_decimal(line.tokens[0]) &&
                              is_decimal(line.tokens[1]);
        }
        have_attributes = have_attributes && !data.empty();
    }

    bool begins_with_names() const { return !data.empty() && !is_decimal(data[0].tokens[0]); }
    std::size_t fields() const { return are_alike && !data.empty() ? data[0].tokens.size() : 0; }
    /// Whether the third fields are ratings: parts of a whole, or few values on many lines, or
    /// before a time in seconds.
    bool have_ratings() const
    {
        constexpr std::size_t most_stars = 21; // from 0 to 10 by halves
        constexpr std::size_t many_lines = 50;
        constexpr std::size_t digits_of_time = 9; // since 1973
        if (fields() != 3 && fields() != 4) {
            return false;
        }
        bool halves = false;
        bool times = fields() == 4;
        std::set<std::string_view> values;
        for (const TextLine& line : data) {
            halves = halves || line.tokens[2].find('.') != std::string_view::npos;
            times = times && line.tokens[3].size() >= digits_of_time;
            values.insert(line.tokens[2]);
        }
        return values.size() <= most_stars && (halves || times || data.size() >= many_lines);
    }

    std::vector<TextLine> data;
    bool names_nodes = false;
    bool has_comments = false;
    bool are_alike = true;
    bool first_repeats = false;
    bool have_attributes = true; ///< "0 1 {'weight': 3}"
};

/// Finds the format of a text whose name says nothing. What an adjacency list cannot be is never
/// taken for one.
FoundFormat format_by_lines(const Beginning& beginning, const std::string& path)
{
    if (beginning.text.substr(0, 14) == "%%MatrixMarket") {
        return {"matrix_market", "the first line begins with %%MatrixMarket"};
    }
    const Lines lines(lines_in(beginning.text, beginning.whole));
    if (lines.names_nodes) {
        return {"edges", "a comment of SNAP names FromNodeId and ToNodeId"};
    }
    if (lines.begins_with_names() && names_its_columns(layout_of(beginning.text, '\n', path))) {
        return {"edges", "the first line names the columns of a user and an item"};
    }
    if (lines.have_attributes) {
        return {"edges", "each line has two numbers, and attributes in braces"};
    }
    if (!lines.data.empty() && lines.data[0].text.find("::") != std::string_view::npos) {
        return {"movielens", "fields are parted by '::'"};
    }
    if (!lines.data.empty() && lines.data[0].text.find_first_of(",;") != std::string_view::npos) {
        return {"edges", "fields are parted by commas or semicolons"};
    }
    if (lines.fields() == 2 && (lines.has_comments || lines.first_repeats)) {
        return {"edges", lines.first_repeats
                             ? "each line has two numbers, of which the first repeats"
                             : "comments, and lines of two numbers each"};
    }
    if (lines.first_repeats && lines.have_ratings()) {
        return {"movielens", "each line has a user, who repeats, an item and a rating"};
    }
    return {"adjacency", ""};
}

bool has_properties(const std::string& path)
{
    const std::string base = fs::path(without_codec(path)).replace_extension().string();
    return fs::exists(plain_or_compressed(base + ".properties"));
}

} // namespace

FoundFormat found_format(const std::string& path)
{
    if (fs::is_directory(path)) {
        return {"webgraph_tfrecord", ""};
    }
    const auto named = [](const std::string& name) {
        const std::string format = format_by_name(name);
        return FoundFormat{format.empty() ? "adjacency" : format, ""};
    };
    if (!fs::exists(path)) {
        const bool graph = fs::exists(plain_or_compressed(path + ".graph"));
        return graph ? FoundFormat{"bvgraph", ""} : named(fs::path(path).filename().string());
    }
    const std::string name = without_codec(fs::path(path).filename().string());
    const std::string by_name = format_by_name(name);
    const Beginning beginning = beginning_of(path);
    if (beginning.text.substr(0, 8) == "ALXCACHE") {
        return {"cache", ""};
    }
    const bool graph = by_name == "bvgraph";
    if (by_name == "webgraph_tfrecord" || (graph && has_properties(path))) {
        return {by_name, ""};
    }
    refuse(path, "byte 0", binary_format(beginning.text));
    if (ends_with(name, ".graph-txt")) {
        refuse(path, "line 1",
               ForeignFormat{"an ASCIIGraph of LAW, by its name: the number of nodes, then a line "
                             "of successors for each",
                             "write it as an adjacency list: awk 'NR>1{print NR-2\" \"$0}' FILE > "
                             "links.adj"});
    }
    const bool metis = graph || ends_with(name, ".metis");
    refuse(path, "line 1",
           text_format(beginning.text, beginning.whole,
                       metis             ? Named::metis
                       : by_name.empty() ? Named::nothing
                                         : Named::otherwise));
    return by_name.empty() ? format_by_lines(beginning, path) : FoundFormat{by_name, ""};
}

void refuse_binary(const std::string& path)
{
    refuse(path, "byte 0", binary_format(beginning_of(path).text));
}

} // namespace alxsim::alx
