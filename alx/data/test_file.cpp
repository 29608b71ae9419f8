// SPDX-License-Identifier: Apache-2.0
#include "alx/data/test_file.h"

#include "alx/data/matrix_builder.h"
#include "alx/files/line_reader.h"
#include "alx/files/tfrecord.h"
#include "base/input_error.h"
#include "base/text/printed.h"

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
    /// `first_id`: what the file calls the id 0.
    TestRows(std::string path, std::int64_t first_id) : path_(std::move(path)), first_id_(first_id)
    {
    }

    void add(TestRow row)
    {
        sort_and_unite(row.history);
        sort_and_unite(row.ground_truth);
        for (const std::int32_t id : row.ground_truth) {
            if (std::binary_search(row.history.begin(), row.history.end(), id)) {
                throw InputError(path_, row.place,
                                 "column " + std::to_string(id + first_id_) +
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
                                 "test row " + std::to_string(row.row + first_id_) +
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
    std::int64_t first_id_;
    std::vector<TestRow> rows_;
};

/// Where the file ends.
std::string read_text(const std::string& path, std::int32_t columns, std::int64_t first_id,
                      TestRows& rows)
{
    const IdParser row_ids(path, "row", first_id, {});
    const IdParser column_ids(path, "column", first_id, columns);
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

void append_ids(std::string& text, const std::vector<std::int32_t>& ids, std::int64_t first_id)
{
    for (const std::int32_t id : ids) {
        text += ' ' + std::to_string(id + first_id);
    }
}

/// Test rows that are trained on.
struct TrainedTestRows {
    std::int64_t rows = 0;
    std::int64_t history = 0; ///< links that they are said to be known by
    std::int64_t trained = 0; ///< those of them that are trained on

    double share() const
    {
        return history == 0 ? 0 : static_cast<double>(trained) / static_cast<double>(history);
    }
};

/// With all ids of the test rows larger by `shift`.
TrainedTestRows trained_test_rows(const Dataset& data, std::int32_t shift)
{
    TrainedTestRows found;
    for (std::size_t i = 0; i < data.test_rows.size(); ++i) {
        const std::int32_t row = data.test_rows[i] + shift;
        const std::vector<std::int32_t> history = data.history.ids(static_cast<std::int32_t>(i));
        if (row < 0 || row >= data.training.rows || data.training.length(row) == 0 ||
            history.empty()) {
            continue;
        }
        const std::vector<std::int32_t> trained = data.training.ids(row);
        found.rows += 1;
        found.history += static_cast<std::int64_t>(history.size());
        for (const std::int32_t id : history) {
            found.trained += std::binary_search(trained.begin(), trained.end(), id + shift) ? 1 : 0;
        }
    }
    return found;
}

std::string percent(double share)
{
    return printed("%.0f", 100 * share) + " %";
}

/// By how much all ids are to be larger so that most test rows are trained on, and known by that; 0
/// where neither neighbour will do.
std::int32_t fitting_shift(const Dataset& data, double enough)
{
    for (const std::int32_t shift : {-1, 1}) {
        const TrainedTestRows shifted = trained_test_rows(data, shift);
        const auto all = static_cast<std::int64_t>(data.test_rows.size());
        if (shifted.share() >= enough && 2 * shifted.rows >= all) {
            return shift;
        }
    }
    return 0;
}

/// A row that is trained on is known by what it is trained on; where it is not, one of the two
/// files counts from another number, or speaks of others. "" where all is well.
std::string doubt_of(const Dataset& data, const std::string& path)
{
    constexpr double enough = 0.5;
    const TrainedTestRows as_told = trained_test_rows(data, 0);
    const std::int32_t shift = as_told.share() >= enough ? 0 : fitting_shift(data, enough);
    if (shift == 0 && (as_told.rows == 0 || as_told.share() >= enough)) {
        return "";
    }
    return path + ": of " + in_thousands(as_told.rows) + " test rows that are trained on, " +
           percent(as_told.share()) + " of what is \"known\" is in the training file; " +
           (shift == 0 ? std::string("are these other rows, or other ids?")
                       : "ids shifted by one? Were all of them one " +
                             std::string(shift < 0 ? "less" : "more") + ", it would be " +
                             percent(trained_test_rows(data, shift).share()) + " of " +
                             in_thousands(trained_test_rows(data, shift).rows) + " rows'");
}

} // namespace

Dataset with_test_file(SparseMatrix training, const std::string& path, std::int64_t first_id)
{
    Dataset data;
    data.training = std::move(training);
    const bool records = format_of(path) == "webgraph_tfrecord";
    TestRows rows(path, records ? 0 : first_id);
    std::string end_place = "after record 0";
    if (records) {
        for (const std::string& file : tfrecord_files(path)) {
            read_tfrecords(file, data.training.columns, rows);
        }
    } else {
        end_place = read_text(path, data.training.columns, first_id, rows);
    }
    rows.move_to(data, end_place);
    if (std::string doubt = doubt_of(data, path); !doubt.empty()) {
        data.id_notes.push_back(std::move(doubt));
    }
    return data;
}

std::string test_line(std::int32_t row, const TestRowLinks& links, std::int64_t first_id)
{
    std::string line = std::to_string(row + first_id) + " |";
    append_ids(line, links.history, first_id);
    line += " |";
    append_ids(line, links.ground_truth, first_id);
    return line + '\n';
}

} // namespace alxsim::alx
