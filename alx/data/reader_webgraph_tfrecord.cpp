// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/tfrecord.h"
#include "base/input_error.h"

namespace alxsim::alx {
namespace {

class WebgraphTfrecordReader final : public DatasetReader {
public:
    void read(const DatasetFile& file, RowSink& sink) const override
    {
        std::int64_t before = 0; // records in the files before, of a folder of several
        for (const std::string& path : paths(file)) {
            before = read_records(path, file, sink, before);
        }
        if (sink.empty()) {
            throw InputError(file.path, "after record 0",
                             "holds no records; expected rows of a web graph");
        }
    }
    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<RowsBuilder>(file, unit());
    }
    std::string unit() const override { return "record"; }
    std::vector<std::string> paths(const DatasetFile& file) const override
    {
        return tfrecord_files(file.path);
    }

private:
    /// The number of records so far.
    static std::int64_t read_records(const std::string& path, const DatasetFile& file,
                                     RowSink& sink, std::int64_t before)
    {
        const IdParser row_ids(path, "row", 0, file.rows);
        const IdParser column_ids(path, "column", 0, file.columns);
        TfrecordReader reader(path);
        const auto place = [&] { return reader.place(); };
        std::string record;
        while (reader.next(record)) {
            const WebgraphExample example = parse_webgraph_example(record, reader);
            if (!example.ground_truth.empty()) {
                throw InputError(path, place(),
                                 "found " + std::to_string(example.ground_truth.size()) +
                                     " links in gt_tag, allowed are none: rows with ground truth "
                                     "belong to a test file (split.test_file)");
            }
            sink.begin(row_ids.check(example.row, place), before + reader.record_number());
            for (const std::int64_t column : example.columns) {
                sink.add(column_ids.check(column, place));
            }
            sink.end();
        }
        return before + reader.record_number() - 1;
    }
};

} // namespace

std::unique_ptr<const DatasetReader> webgraph_tfrecord_reader()
{
    return std::make_unique<WebgraphTfrecordReader>();
}

} // namespace alxsim::alx
