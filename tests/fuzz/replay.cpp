// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/replay.h"

#include "alx/data/matrix_rows.h"
#include "alx/data/test_file.h"
#include "alx/files/byte_source.h"
#include "alx/files/tfrecord.h"
#include "alx/names/named_links.h"
#include "base/input_error.h"
#include "base/npy.h"
#include "tests/fuzz/command_readers.h"
#include "tests/fuzz/documents.h"
#include "tests/temporary_folder.h"
#include "workloads/import/hlo/accounts.h"
#include "workloads/import/hlo/device_groups.h"
#include "workloads/import/hlo/text/hlo_text.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

namespace alxsim::fuzz {
namespace {

void hold(bool condition, const char* what)
{
    if (!condition) {
        throw Finding(what);
    }
}

void check(const alx::SparseMatrix& matrix)
{
    hold(matrix.rows >= 0 && matrix.columns >= 0, "a size is negative");
    hold(matrix.lists.size() == matrix.rows, "the lists are not those of the rows");
    std::int64_t links = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        std::int32_t previous = -1;
        for (const std::int32_t id : matrix.ids(row)) {
            hold(id > previous && id < matrix.columns, "the ids of a row do not ascend");
            previous = id;
            ++links;
        }
    }
    hold(links == matrix.links(), "the links are not those of the rows");
}

/// Read row by row, a file holds the same.
void check_rows(const alx::DatasetFile& file, const alx::SparseMatrix& matrix)
{
    std::int32_t row = 0;
    alx::MatrixRows(file).for_each([&](const std::vector<std::int32_t>& ids) {
        hold(row < matrix.rows && ids == matrix.ids(row), "a row is not that of the matrix");
        ++row;
    });
    hold(row == matrix.rows, "rows of the matrix are missing");
}

void check_file(const alx::DatasetFile& file)
{
    std::optional<alx::SparseMatrix> matrix;
    try {
        matrix = alx::read_matrix(file);
    } catch (const InputError&) {
        alx::MatrixRows(file).for_each([](const std::vector<std::int32_t>& /*ids*/) {});
        throw Finding("row by row, what is refused as a matrix is taken");
    }
    check(*matrix);
    check_rows(file, *matrix);
}

Reader matrix(const std::string& format)
{
    return [format](const TemporaryFolder& folder, std::string_view bytes) {
        check_file({folder.write("matrix", bytes), format});
    };
}

/// The input is NAME.properties up to its first byte 0, and NAME.graph behind it.
void bvgraph(const TemporaryFolder& folder, std::string_view bytes)
{
    const std::size_t cut = std::min(bytes.find('\0'), bytes.size());
    folder.write("web.properties", bytes.substr(0, cut));
    const std::string path =
        folder.write("web.graph", bytes.substr(std::min(cut + 1, bytes.size())));
    check_file({path, "bvgraph"});
}

std::string little_endian(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i) {
        text.push_back(static_cast<char>(value >> (8 * i)));
    }
    return text;
}

/// Two records of a TFRecord file, parted by '%': chance does not find checksums.
std::string as_records(std::string_view bytes)
{
    std::string file;
    for (std::string_view rest = bytes; !rest.empty();) {
        const std::string data(rest.substr(0, rest.find('%')));
        rest.remove_prefix(std::min(data.size() + 1, rest.size()));
        const std::string length = little_endian(data.size(), 8);
        file += length + little_endian(alx::masked_crc32c(length), 4) + data +
                little_endian(alx::masked_crc32c(data), 4);
    }
    return file;
}

void check_test_file(const std::string& path)
{
    alx::SparseMatrix training;
    training.columns = 100;
    const alx::Dataset data = alx::with_test_file(training, path);
    check(data.history);
    check(data.ground_truth);
    hold(data.test_rows.size() == static_cast<std::size_t>(data.history.rows) &&
             data.history.rows == data.ground_truth.rows,
         "test rows, histories and ground truths are not as many");
}

void check_npy(const std::string& path)
{
    const NpyMatrix array = read_npy_array(path);
    hold(array.values.size() == static_cast<std::size_t>(array.rows * array.columns),
         "an array has not as many numbers as its shape says");
}

void drain(const std::string& path)
{
    alx::ByteSource source(path);
    std::string piece(1 << 16, '\0');
    while (source.read(piece.data(), piece.size()) == piece.size()) {
    }
}

/// As `dataset names` reads and writes them: what it wrote is read again, to the same.
void check_names(const TemporaryFolder& folder, const std::string& path, bool same, bool header)
{
    std::ostringstream text;
    alx::PackedOutput ids(text, "ids");
    const alx::NamedLinks named = alx::number_links({path, same, header}, ids);
    ids.finish();
    for (const alx::Names* names : {&named.rows, &named.columns}) {
        const std::string written = folder.write("written", names->text());
        hold(alx::Names::load(written).text() == names->text(), "names change by being written");
    }
    const alx::DatasetFile file{folder.write("ids", text.str()), "edges"};
    const alx::SparseMatrix links = alx::read_matrix(file);
    hold(links.links() <= named.links, "there are more links than lines");
    hold(static_cast<std::size_t>(links.rows) <= named.rows.size(), "a row has no name");
}

void check_all_names(const TemporaryFolder& folder, std::string_view bytes)
{
    const std::string path = folder.write("names", bytes);
    for (const bool same : {false, true}) {
        for (const bool header : {false, true}) {
            check_names(folder, path, same, header);
        }
    }
    alx::Names::load(path);
}

/// Read, counted, and its groups of devices expanded.
void check_hlo(const std::string& path)
{
    const hlo::Module module = hlo::read_hlo_file(path);
    const hlo::Accounts accounts = hlo::accounts_of(module);
    std::int64_t unmapped = 0;
    for (const hlo::Unmapped& one : accounts.unmapped) {
        unmapped += one.count;
    }
    hold(accounts.instructions == accounts.mapped + accounts.free + unmapped,
         "an instruction has no fate, or two");
    hold(accounts.total.flops >= 0 && accounts.memory.peak_bytes >= 0, "a count is negative");
    for (const hlo::Computation& computation : module.computations) {
        for (const hlo::Instruction& instruction : computation.instructions) {
            hlo::origin_of(module, instruction);
            if (!instruction.attribute("replica_groups").empty()) {
                hlo::devices_of(module, instruction, 4096);
            }
        }
    }
}

void compressed(const TemporaryFolder& folder, std::string_view bytes)
{
    drain(folder.write("content", bytes));
}

const std::map<std::string, Reader>& data_readers()
{
    static const std::map<std::string, Reader> all{
        {"adjacency", matrix("adjacency")},
        {"edges", matrix("edges")},
        {"matrix_market", matrix("matrix_market")},
        {"movielens", matrix("movielens")},
        {"cache", matrix("cache")},
        {"tfrecord", matrix("webgraph_tfrecord")},
        {"bvgraph", bvgraph},
        {"webgraph_example",
         [](const TemporaryFolder& folder, std::string_view bytes) {
             const std::string path = folder.write("web.tfrecord", as_records(bytes));
             check_file({path, "webgraph_tfrecord"});
         }},
        {"test_file",
         [](const TemporaryFolder& folder, std::string_view bytes) {
             check_test_file(folder.write("test.txt", bytes));
         }},
        {"test_example",
         [](const TemporaryFolder& folder, std::string_view bytes) {
             check_test_file(folder.write("test.tfrecord", as_records(bytes)));
         }},
        {"names", check_all_names},
        {"found_format", matrix("")},
        {"gzip", compressed},
        {"bzip2", compressed},
        {"xz", compressed},
        {"zstd", compressed},
        {"hlo", [](const TemporaryFolder& folder,
                   std::string_view bytes) { check_hlo(folder.write("step.hlo.txt", bytes)); }},
        {"chakra",
         [](const TemporaryFolder&, std::string_view bytes) { read_chakra_trace(bytes); }},
        {"npy", [](const TemporaryFolder& folder, std::string_view bytes) {
             check_npy(folder.write("array.npy", bytes));
         }}};
    return all;
}

const std::map<std::string, Reader>& readers()
{
    static const std::map<std::string, Reader> all = [] {
        std::map<std::string, Reader> both = data_readers();
        for (const auto* others : {&document_readers(), &command_readers()}) {
            both.insert(others->begin(), others->end());
        }
        return both;
    }();
    return all;
}

std::vector<std::string> names_of(const std::map<std::string, Reader>& all)
{
    std::vector<std::string> names;
    for (const auto& reader : all) {
        names.push_back(reader.first);
    }
    return names;
}

} // namespace

std::vector<std::string> targets()
{
    return names_of(readers());
}

std::vector<std::string> documents()
{
    std::vector<std::string> names = names_of(document_readers());
    const std::vector<std::string> of_commands = names_of(command_readers());
    names.insert(names.end(), of_commands.begin(), of_commands.end());
    return names;
}

bool names_a_place(std::string_view message)
{
    static const std::regex place("(after )?(line|record|node|bit|byte) [0-9]+[,:]|"
                                  "('[a-z_]+'|/[^:]*|top level|the first lines?): ");
    const std::string first(message.substr(0, 100));
    return std::regex_search(first, place, std::regex_constants::match_continuous);
}

Outcome replay(const std::string& target, std::string_view bytes)
{
    static const TemporaryFolder folder;
    try {
        readers().at(target)(folder, bytes);
        return Outcome::read;
    } catch (const InputError& error) {
        const std::string_view message = error.what();
        // What follows the name of one of our files, which all end in ": ".
        const std::size_t end = message.find(": ");
        const bool data = data_readers().count(target) > 0;
        // What is wrong between fields of a document may have no single place.
        if (data && (end == std::string_view::npos || !names_a_place(message.substr(end + 2)))) {
            throw Finding("no place is named in: " + std::string(message));
        }
        return Outcome::refused;
    }
}

} // namespace alxsim::fuzz
