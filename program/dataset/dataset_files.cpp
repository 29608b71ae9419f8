// SPDX-License-Identifier: Apache-2.0
#include "program/dataset/dataset_files.h"

#include "alx/data/matrix_file.h"
#include "alx/data/predicted_size.h"
#include "base/file_output.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"

#include <iostream>
#include <map>
#include <optional>
#include <vector>

namespace alxsim::program {

using namespace alx;

namespace {

constexpr Bytes told_from(std::int64_t{256} << 20);
/// The peak, where they are put in order: kept as gaps, and again in another order.
constexpr Bytes bytes_of_link(5);
constexpr Bytes bytes_of_row(10);

void tell_memory(const DatasetFile& file)
{
    const MatrixSize size = predicted_size(file);
    const Bytes kept = bytes_of_link * size.links + bytes_of_row * size.rows;
    if (kept > told_from) {
        std::cerr << "alxsim: the links of " << file.path << " stay in memory, about "
                  << memory_in_words(kept) << " of " << memory_in_words(host_memory_limit())
                  << " of this host's memory\n";
    }
}

} // namespace

const char* const formats_help =
    "\nFormats (ids from 0 unless said; a link that stands twice counts once):\n"
    "  adjacency          'row column column ...' per line, one line per row\n"
    "  edges              'row column ...' per line, parted by tabs, commas, semicolons, bars or\n"
    "                     blanks; # and % begin comments; a first line of names says which column\n"
    "                     is which; weights do not count but for --threshold  .tsv .csv .edges\n"
    "  matrix_market      coordinate or array, of any field and symmetry; ids from 1; entries at\n"
    "                     one place are added, and 0 is no link      .mtx\n"
    "  movielens          the same with ratings; ids from 1 become ids from 0, gaps stay\n"
    "                                                                u.data ratings.dat "
    "ratings.csv\n"
    "  bvgraph            NAME.graph with NAME.properties, of LAW     .graph .properties\n"
    "  webgraph_tfrecord  row_tag, col_tag, gt_tag; a folder of files or one\n"
    "                                                                *.tfrecord* or a folder\n"
    "  cache              what 'dataset convert' writes; known by its first bytes\n"
    "Names count without .gz .bz2 .xz .zst; where they say nothing, the first lines may.\n";

void add_fields(CLI::App& command, ColumnNames& fields)
{
    command
        .add_option_function<std::vector<std::string>>(
            "--fields",
            [&fields](const std::vector<std::string>& given) {
                const std::map<std::string, std::optional<std::string>*> all{
                    {"user", &fields.user},
                    {"item", &fields.item},
                    {"rating", &fields.rating},
                    {"time", &fields.time}};
                for (const std::string& one : given) {
                    const std::size_t equals = one.find('=');
                    const auto field = all.find(one.substr(0, equals));
                    if (field == all.end() || equals == std::string::npos) {
                        throw CLI::ValidationError(
                            "--fields",
                            "found '" + one +
                                "'; allowed: user=NAME, item=NAME, rating=NAME, "
                                "time=NAME, by the names in the first line, or columns' "
                                "numbers");
                    }
                    *field->second = one.substr(equals + 1);
                }
            },
            "user=NAME,item=NAME,rating=NAME,time=NAME: columns by the names in the first line, or "
            "their numbers where it has none (default: by common names, or by position)")
        ->delimiter(',');
}

void add_reading(CLI::App& command, const std::shared_ptr<DatasetFile>& file)
{
    command.add_option("FILE", file->path, "The data, plain or compressed (gzip, bzip2, xz, zstd)")
        ->required();
    command
        .add_option("--format", file->format,
                    "How to read it (default: by content and name): " +
                        join(dataset_formats(), ", "))
        ->check(CLI::IsMember(dataset_formats()));
    command.add_option("--rows", file->rows, "Rows, where the file does not tell")
        ->check(CLI::Range(std::int64_t{1}, most_ids));
    command.add_option("--columns", file->columns, "Columns, where the file does not tell")
        ->check(CLI::Range(std::int64_t{1}, most_ids));
    command.add_option("--threshold", file->threshold,
                       "Ratings from here up are links (default: all ratings)");
    add_fields(command, file->fields);
}

void write_rows(const std::string& what, const MatrixSize& size, const std::string& path,
                const std::function<void(const TakeRow& row)>& rows)
{
    write_file_atomically(path, [&](std::ostream& file) {
        MatrixWriter writer(file, path, static_cast<std::int32_t>(size.rows),
                            static_cast<std::int32_t>(size.columns), size.links);
        rows([&writer](const std::vector<std::int32_t>& ids) { writer.row(ids); });
        writer.finish();
    });
    std::cout << what << ": " << size.rows << " x " << size.columns << ", " << size.links
              << " links -> " << path << "\n";
}

MatrixRows rows_of_file(const DatasetFile& file)
{
    return MatrixRows(file, [&file] { tell_memory(file); });
}

SparseMatrix matrix_of_file(const DatasetFile& file)
{
    tell_memory(file);
    return read_matrix(file);
}

} // namespace alxsim::program
