// SPDX-License-Identifier: Apache-2.0
#include "alx/data/test_file.h"

#include "alx/data/matrix_builder.h"
#include "alx/files/line_reader.h"
#include "alx/files/tfrecord.h"
#include "base/input_error.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {
namespace {

/// The three fields of a test row, sorted and without repetitions.
struct TestRow {
    std::int32_t row = 0;
    std::string place;
    std::vector<std::int32_t> history;
    std::vector<std::int32_t> ground_truth;
};

void sort_and_unite(std::vector<std::int32_t>& ids)
{
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

class TestRows {
public:
    explicit TestRows(std::string path) : path_(std::move(path)) {}

    void add(TestRow row)
    {
        sort_and_unite(row.history);
        sort_and_unite(row.ground_truth);
        for (const std::int32_t id : row.ground_truth) {
            if (std::binary_search(row.history.begin(), row.history.end(), id)) {
                throw InputError(path_, row.place,
                                 "column " + std::to_string(id) +
                                     " is both in the history and in the ground truth; allowed is "
                                     "one of them");
            }
        }
        rows_.push_back(std::move(row));
    }

    /// `end_place` is where rows are missing if there are none.
    void move_to(Dataset& data, const std::string& end_place)
    {
        const auto by_row = [](const TestRow& a, const TestRow& b) { return a.row < b.row; };
        std::stable_sort(rows_.begin(), rows_.end(), by_row);
        data.history.columns = data.ground_truth.columns = data.training.columns;
        for (const TestRow& row : rows_) {
            if (!data.test_rows.empty() && data.test_rows.back() == row.row) {
                throw InputError(path_, row.place,
                                 "test row " + std::to_string(row.row) +
                                     " stands twice, allowed is once");
            }
            data.test_rows.push_back(row.row);
            data.history.append(row.history);
            data.ground_truth.append(row.ground_truth);
        }
        if (rows_.empty()) {
            throw InputError(path_, end_place,
                             "holds no test rows; expected lines of the form 'row | history | "
                             "ground truth'");
        }
    }

private:
    std::string path_;
    std::vector<TestRow> rows_;
};

/// Where the file ends.
std::string read_text(const std::string& path, std::int32_t columns, TestRows& rows)
{
    const IdParser row_ids(path, "row", 0, {});
    const IdParser column_ids(path, "column", 0, columns);
    LineReader lines(path);
    const auto place = [&] { return lines.place(); };
    std::string_view line;
    while (lines.next(line)) {
        std::string_view rest = line;
        if (next_token(rest).empty()) {
            continue;
        }
        if (std::count(line.begin(), line.end(), '|') != 2) {
            throw InputError(
                path, place(),
                "found " + shown(line) +
                    ", allowed is 'row | history | ground truth', like '12 | 0 3 | 4'");
        }
        const std::size_t first = line.find('|');
        const std::size_t second = line.find('|', first + 1);
        std::string_view name = line.substr(0, first);
        const std::int32_t row = row_ids.parse(next_token(name), place);
        if (const std::string_view more = next_token(name); !more.empty()) {
            throw InputError(path, place(),
                             "found " + shown(more) + " behind the row id, allowed is one row id");
        }
        const auto ids = [&](std::string_view text) {
            std::vector<std::int32_t> found;
            for (auto token = next_token(text); !token.empty(); token = next_token(text)) {
                found.push_back(column_ids.parse(token, place));
            }
            return found;
        };
        rows.add({row, place(), ids(line.substr(first + 1, second - first - 1)),
                  ids(line.substr(second + 1))});
    }
    return lines.end_place();
}

void read_tfrecords(const std::string& path, std::int32_t columns, TestRows& rows)
{
    const IdParser row_ids(path, "row", 0, {});
    const IdParser column_ids(path, "column", 0, columns);
    TfrecordReader reader(path);
    const auto place = [&] { return reader.place(); };
    const auto ids = [&](const std::vector<std::int64_t>& numbers) {
        std::vector<std::int32_t> found;
        found.reserve(numbers.size());
        for (const std::int64_t id : numbers) {
            found.push_back(column_ids.check(id, place));
        }
        return found;
    };
    std::string record;
    while (reader.next(record)) {
        const WebgraphExample example = parse_webgraph_example(record, reader);
        rows.add({row_ids.check(example.row, place), place(), ids(example.columns),
                  ids(example.ground_truth)});
    }
}

void append_ids(std::string& text, const std::vector<std::int32_t>& ids)
{
    for (const std::int32_t id : ids) {
        text += ' ' + std::to_string(id);
    }
}

} // namespace

Dataset with_test_file(SparseMatrix training, const std::string& path)
{
    Dataset data;
    data.training = std::move(training);
    TestRows rows(path);
    std::string end_place = "after record 0";
    if (format_of(path) == "webgraph_tfrecord") {
        for (const std::string& file : tfrecord_files(path)) {
            read_tfrecords(file, data.training.columns, rows);
        }
    } else {
        end_place = read_text(path, data.training.columns, rows);
    }
    rows.move_to(data, end_place);
    return data;
}

std::string test_line(std::int32_t row, const TestRowLinks& links)
{
    std::string line = std::to_string(row) + " |";
    append_ids(line, links.history);
    line += " |";
    append_ids(line, links.ground_truth);
    return line + '\n';
}

} // namespace alxsim::alx
