// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/bit_reader.h"
#include "alx/files/line_reader.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

namespace alxsim::alx {
namespace {

enum class Code { unary, gamma, delta, zeta, nibble };

/// NAME.properties: sizes, parameters of the compression, and a code for each kind of number.
struct Properties {
    std::int64_t nodes = 0;
    std::int64_t arcs = 0;
    std::int64_t window = 7;
    std::int64_t shortest_interval = 4; ///< 0: no intervals
    std::int64_t zeta_k = 3;
    std::map<std::string, Code> codes{{"OUTDEGREES", Code::gamma},  {"BLOCKS", Code::gamma},
                                      {"BLOCK_COUNT", Code::gamma}, {"REFERENCES", Code::unary},
                                      {"RESIDUALS", Code::zeta},    {"OFFSETS", Code::gamma}};
};

/// The codes that the reference implementation offers for each kind of number.
const std::map<std::string, std::vector<std::string>>& allowed_codes()
{
    static const std::map<std::string, std::vector<std::string>> all{
        {"OUTDEGREES", {"GAMMA", "DELTA"}},
        {"BLOCKS", {"GAMMA", "DELTA"}},
        {"BLOCK_COUNT", {"UNARY", "GAMMA", "DELTA"}},
        {"REFERENCES", {"UNARY", "GAMMA", "DELTA"}},
        {"RESIDUALS", {"GAMMA", "DELTA", "ZETA", "NIBBLE"}},
        {"OFFSETS", {"GAMMA", "DELTA", "NIBBLE"}}};
    return all;
}

Code code_named(const std::string& name)
{
    static const std::map<std::string, Code> all{{"UNARY", Code::unary},
                                                 {"GAMMA", Code::gamma},
                                                 {"DELTA", Code::delta},
                                                 {"ZETA", Code::zeta},
                                                 {"NIBBLE", Code::nibble}};
    return all.at(name);
}

class PropertiesFile {
public:
    explicit PropertiesFile(const std::string& path) : path_(path)
    {
        LineReader lines(path);
        std::string_view line;
        while (lines.next(line)) {
            std::string_view rest = line;
            const std::string key(next_token(rest, " \t\r=:"));
            if (key.empty() || key.front() == '#' || key.front() == '!') {
                continue;
            }
            const std::size_t begin = rest.find_first_not_of(" \t=:");
            const std::size_t end = rest.find_last_not_of(" \t\r");
            values_[key] = begin == std::string_view::npos || end == std::string_view::npos
                               ? ""
                               : std::string(rest.substr(begin, end + 1 - begin));
            places_[key] = lines.place();
        }
        end_place_ = lines.end_place();
    }

    Properties parse() const
    {
        check_kind();
        Properties result;
        result.nodes = number("nodes", {}, largest_id + 1);
        result.arcs = number("arcs", {}, std::int64_t{1} << 50);
        result.window = number("windowsize", result.window, 1 << 20);
        result.shortest_interval = number("minintervallength", result.shortest_interval, 1 << 20);
        result.zeta_k = number("zetak", result.zeta_k, 16);
        parse_flags(result);
        if (result.zeta_k == 0) {
            refuse("zetak", "1 to 16");
        }
        return result;
    }

private:
    std::string value(const std::string& key) const
    {
        const auto found = values_.find(key);
        return found == values_.end() ? "" : found->second;
    }

    [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const
    {
        const auto place = places_.find(key);
        throw InputError(path_, place == places_.end() ? end_place_ : place->second,
                         place == places_.end() ? "'" + key + "' is missing, allowed are " + allowed
                                                : "found " + shown(value(key)) + " as " + key +
                                                      ", allowed are " + allowed);
    }

    void check_kind() const
    {
        const std::string kind = value("graphclass");
        if (!kind.empty() && kind.find("BVGraph") == std::string::npos) {
            refuse("graphclass", "it.unimi.dsi.webgraph.BVGraph");
        }
        if (!value("version").empty() && value("version") != "0") {
            refuse("version", "0");
        }
        if (!value("endianness").empty() && value("endianness") != "big") {
            refuse("endianness", "big");
        }
    }

    std::int64_t number(const std::string& key, const std::optional<std::int64_t>& fallback,
                        std::int64_t largest) const
    {
        const std::string text = value(key);
        if (fallback && values_.count(key) == 0) {
            return *fallback;
        }
        std::int64_t result = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
        if (error != std::errc() || end != text.data() + text.size() || result < 0 ||
            result > largest) {
            refuse(key, "whole numbers from 0 to " + std::to_string(largest));
        }
        return result;
    }

    /// `OUTDEGREES_DELTA | RESIDUALS_NIBBLE`; what is not named keeps its default.
    void parse_flags(Properties& properties) const
    {
        const std::string flags = value("compressionflags");
        std::string_view rest = flags;
        for (std::string_view flag = next_token(rest, " |"); !flag.empty();
             flag = next_token(rest, " |")) {
            const std::size_t cut = flag.rfind('_');
            const std::string kind(flag.substr(0, cut));
            const std::string code(cut == std::string_view::npos ? "" : flag.substr(cut + 1));
            const auto known = allowed_codes().find(kind);
            if (known == allowed_codes().end()) {
                std::vector<std::string> kinds;
                for (const auto& entry : allowed_codes()) {
                    kinds.push_back(entry.first + "_...");
                }
                refuse("compressionflags", join(kinds));
            }
            if (std::count(known->second.begin(), known->second.end(), code) == 0) {
                refuse("compressionflags", kind + "_ followed by one of " + join(known->second));
            }
            properties.codes[kind] = code_named(code);
        }
    }

    std::string path_;
    std::map<std::string, std::string> values_;
    std::map<std::string, std::string> places_;
    std::string end_place_;
};

/// The last rows, from which those that follow copy.
class RecentRows {
public:
    /// `window`: how many are kept.
    explicit RecentRows(std::int64_t window) : rows_(static_cast<std::size_t>(window) + 1) {}

    const std::vector<std::int32_t>& of(std::int64_t node) const { return rows_[place(node)]; }
    void keep(std::int64_t node, const std::vector<std::int32_t>& row, const std::string& path)
    {
        std::vector<std::int32_t>& kept = rows_[place(node)];
        room_ -= kept.capacity();
        kept = row;
        room_ += kept.capacity();
        if (room_ > checked_room_) { // of long rows, which copies make of a few bits each
            checked_room_ = room_ + checked_every;
            refuse_beyond_memory(Bytes(static_cast<std::int64_t>(room_ * sizeof row[0])),
                                 host_memory_limit(), "the rows that others copy", path,
                                 "node " + std::to_string(node));
        }
    }

private:
    std::size_t place(std::int64_t node) const
    {
        return static_cast<std::size_t>(node) % rows_.size();
    }

    static constexpr std::size_t checked_every = std::size_t{1} << 24;

    std::vector<std::vector<std::int32_t>> rows_;
    std::size_t room_ = 0; ///< ids that they have room for
    std::size_t checked_room_ = checked_every;
};

/// Decodes the rows one after another. A row is: its length; how many rows back the one is from
/// which it copies (0: none), and alternating blocks of that row that are copied and skipped;
/// intervals of consecutive ids; and the rest as gaps.
class GraphDecoder {
public:
    GraphDecoder(ByteSource& source, const Properties& properties)
        : path_(source.path()),
          properties_(properties),
          reader_(source),
          lengths_(properties.codes.at("OUTDEGREES")),
          references_(properties.codes.at("REFERENCES")),
          block_counts_(properties.codes.at("BLOCK_COUNT")),
          blocks_(properties.codes.at("BLOCKS")),
          residuals_(properties.codes.at("RESIDUALS")),
          recent_(std::min(properties.window, properties.nodes))
    {
        const std::int64_t bytes = source.most_content();
        // The length of a row takes a bit at least.
        if (properties.nodes / 8 > bytes) {
            refuse("found at most " + std::to_string(bytes) + " bytes for " +
                   std::to_string(properties.nodes) + " nodes");
        }
    }

    void decode(RowSink& sink)
    {
        sink.set_size(properties_.nodes, properties_.nodes);
        for (node_ = 0; node_ < properties_.nodes; ++node_) {
            row_.clear();
            decode_row();
            arcs_ += static_cast<std::int64_t>(row_.size());
            recent_.keep(node_, row_, path_);
            sink.next(row_);
        }
        if (arcs_ != properties_.arcs) {
            throw InputError(path_, "bit " + std::to_string(reader_.position()),
                             "holds " + std::to_string(arcs_) + " arcs, its properties say " +
                                 std::to_string(properties_.arcs));
        }
    }

private:
    [[noreturn]] void refuse(const std::string& problem) const
    {
        throw InputError(
            path_, "node " + std::to_string(node_) + ", bit " + std::to_string(reader_.position()),
            problem + ": the file is damaged, or not what its properties say");
    }

    std::int64_t read(Code code)
    {
        switch (code) {
        case Code::unary:
            return static_cast<std::int64_t>(reader_.unary());
        case Code::gamma:
            return static_cast<std::int64_t>(reader_.gamma());
        case Code::delta:
            return static_cast<std::int64_t>(reader_.delta());
        case Code::zeta:
            return static_cast<std::int64_t>(
                reader_.zeta(static_cast<unsigned>(properties_.zeta_k)));
        case Code::nibble:
            return static_cast<std::int64_t>(reader_.nibble());
        }
        return 0;
    }

    /// 0, 1, 2, 3, 4 ... mean 0, -1, 1, -2, 2 ...
    static std::int64_t with_sign(std::int64_t natural)
    {
        return natural % 2 == 0 ? natural / 2 : -(natural + 1) / 2;
    }

    void append(std::int64_t id)
    {
        if (id < 0 || id >= properties_.nodes) {
            refuse("found node " + std::to_string(id) + " of " + std::to_string(properties_.nodes));
        }
        row_.push_back(static_cast<std::int32_t>(id));
    }

    void decode_row()
    {
        const std::int64_t length = read(lengths_);
        if (length > properties_.arcs - arcs_) {
            refuse("found " + std::to_string(length) + " arcs, more than are left");
        }
        if (length == 0) {
            return;
        }
        const auto end = static_cast<std::size_t>(length);
        copy_blocks(end);
        const auto copied = static_cast<std::ptrdiff_t>(row_.size());
        read_intervals(end);
        const auto intervals = static_cast<std::ptrdiff_t>(row_.size());
        read_residuals(end - row_.size());
        // Three ascending runs.
        std::inplace_merge(row_.begin() + copied, row_.begin() + intervals, row_.end());
        std::inplace_merge(row_.begin(), row_.begin() + copied, row_.end());
        if (std::adjacent_find(row_.begin(), row_.end(), std::greater_equal<>()) != row_.end()) {
            refuse("found an arc twice");
        }
    }

    void copy_blocks(std::size_t row_end)
    {
        const std::int64_t back = properties_.window > 0 ? read(references_) : 0;
        if (back == 0) {
            return;
        }
        if (back > node_ || back > properties_.window) {
            refuse("found a reference " + std::to_string(back) + " nodes back");
        }
        const std::vector<std::int32_t>& copied = recent_.of(node_ - back);
        auto source = copied.begin();
        const std::int64_t blocks = read(block_counts_);
        for (std::int64_t block = 0; block <= blocks; ++block) {
            // What follows an even number of blocks is copied to its end.
            const bool last = block == blocks;
            const std::int64_t left = copied.end() - source;
            const std::int64_t size = last ? left : read(blocks_) + (block > 0 ? 1 : 0);
            if (size > left) {
                refuse("found a block beyond the copied row");
            }
            if (block % 2 == 0) {
                if (size > static_cast<std::int64_t>(row_end - row_.size())) {
                    refuse("copied more arcs than the row has");
                }
                row_.insert(row_.end(), source, source + size);
            }
            source += size;
        }
    }

    void read_intervals(std::size_t row_end)
    {
        if (properties_.shortest_interval == 0 || row_.size() == row_end) {
            return;
        }
        const auto count = static_cast<std::int64_t>(reader_.gamma());
        std::int64_t next = 0;
        for (std::int64_t interval = 0; interval < count; ++interval) {
            const auto gap = static_cast<std::int64_t>(reader_.gamma());
            const std::int64_t left = interval == 0 ? node_ + with_sign(gap) : next + 1 + gap;
            const std::int64_t size =
                static_cast<std::int64_t>(reader_.gamma()) + properties_.shortest_interval;
            if (size > static_cast<std::int64_t>(row_end - row_.size())) {
                refuse("found an interval longer than what is left of the row");
            }
            for (next = left; next < left + size; ++next) {
                append(next);
            }
        }
    }

    void read_residuals(std::size_t count)
    {
        std::int64_t previous = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t gap = read(residuals_);
            previous = i == 0 ? node_ + with_sign(gap) : previous + 1 + gap;
            append(previous);
        }
    }

    std::string path_;
    const Properties& properties_;
    BitReader reader_;
    Code lengths_;
    Code references_;
    Code block_counts_;
    Code blocks_;
    Code residuals_;
    RecentRows recent_;
    std::vector<std::int32_t> row_; ///< of the node
    std::int64_t arcs_ = 0;         ///< of the nodes before
    std::int64_t node_ = 0;
};

/// NAME of NAME, NAME.graph, NAME.properties, and of these compressed.
std::string base_of(const std::string& path)
{
    std::string base = without_codec(path);
    for (const std::string ending : {".graph", ".properties"}) {
        if (base.size() > ending.size() &&
            base.compare(base.size() - ending.size(), ending.size(), ending) == 0) {
            base.resize(base.size() - ending.size());
        }
    }
    return base;
}

/// Both files of a graph.
class GraphFiles {
public:
    explicit GraphFiles(const DatasetFile& file)
        : properties_(properties_of(file)),
          source_(path(file, ".graph")),
          decoder_(source_, properties_)
    {
    }
    static std::string path(const DatasetFile& file, const char* ending)
    {
        return plain_or_compressed(base_of(file.path) + ending);
    }

    MatrixSize size() const { return {properties_.nodes, properties_.nodes, properties_.arcs}; }
    void read(RowSink& sink) { decoder_.decode(sink); }

private:
    static Properties properties_of(const DatasetFile& file)
    {
        const Properties properties = PropertiesFile(path(file, ".properties")).parse();
        check_sizes(file, properties.nodes, properties.nodes);
        return properties;
    }

    Properties properties_;
    ByteSource source_;
    GraphDecoder decoder_;
};

class BvgraphReader final : public DatasetReader {
public:
    void read(const DatasetFile& file, RowSink& sink) const override
    {
        GraphFiles(file).read(sink);
    }
    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<OrderedBuilder>(file, unit());
    }
    std::optional<MatrixSize> told_size(const DatasetFile& file) const override
    {
        return GraphFiles(file).size();
    }
    std::optional<bool> holds_graph(const DatasetFile& /*file*/) const override { return true; }
    std::vector<std::string> paths(const DatasetFile& file) const override
    {
        return {GraphFiles::path(file, ".properties"), GraphFiles::path(file, ".graph")};
    }
};

} // namespace

std::unique_ptr<const DatasetReader> bvgraph_reader()
{
    return std::make_unique<BvgraphReader>();
}

} // namespace alxsim::alx
