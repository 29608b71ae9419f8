// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/half_batches.h"
#include "alx/workload/batches_json.h"
#include "alx/workload/job.h"
#include "base/input_error.h"
#include "program/dataset/commands.h"

#include <iostream>

namespace alxsim::program {

using namespace alx;

namespace {

/// A list of cases: one that is refused says why and the others go on.
Json answers(const Json& cases, const std::string& file)
{
    Json all = Json::array();
    for (const Json& one : cases) {
        Json answer{{"name", one.is_object() ? one.value("name", "") : ""}};
        try {
            answer.update(batch_case(one, file));
        } catch (const InputError& error) {
            answer["error"] = error.what();
        }
        all.push_back(std::move(answer));
    }
    return all;
}

/// The batches of a study's first point.
Json study_batches(const std::string& file, const StudyReader& reader)
{
    const Json point = reader.first_point(file);
    const Job job = job_of(point_request(point), file, reader.machine(point, file));
    if (!job.data) {
        throw InputError(file, "/workload/dataset",
                         "has no links of which batches could be made; allowed: file or generate");
    }
    const SparseMatrix& rows = job.data->training;
    const SparseMatrix columns = transpose(rows);
    const AlxConfig& config = job.config;
    const DeviceMesh& mesh = job.mesh;
    const TablePlacement placement = place_tables(config, rows, columns, mesh);
    return {{"rows", batches_json(batch_rows(config, rows, mesh, placement.rows), rows)},
            {"columns",
             batches_json(batch_columns(config, columns, mesh, placement.columns), columns)}};
}

int print_batches(const std::string& file, const StudyReader& reader)
{
    const Json document = load_json(file);
    const Json result = document.is_array()             ? answers(document, file)
                        : document.contains("examples") ? batch_case(document, file)
                                                        : study_batches(file, reader);
    std::cout << result.dump() << "\n";
    return 0;
}

} // namespace

void add_dataset_batches(CLI::App& parent, Action& action, const StudyReader& reader)
{
    CLI::App* command = parent.add_subcommand(
        "batches", "Prints dense batches as JSON: of a study, or of examples given by themselves");
    auto file = std::make_shared<std::string>();
    command->add_option("FILE", *file, "A study, a case, or a list of cases (JSON)")->required();
    command->footer(
        "\nOf a study: the row and column batches of its first point, {rows, columns}.\n"
        "Of a case: {batches, num_batches_before_padding}, as the released batching code makes "
        "them.\n"
        "A case is {\"examples\": [[row id, [ids]], ...], \"batch_size\": lines,\n"
        "  \"num_rows_per_batch\": rows, \"seq_len\": ids in a line, \"num_devices\": 2 (null: no "
        "device padding)};\n"
        "of test rows, with \"is_test\": true, examples are [row id, [history], [ground truth]] "
        "and\n"
        "  \"ground_truth_batch_size\" is their number of lines. In a list of cases, one that is\n"
        "  refused has an \"error\" instead.\n"
        "-1 pads ids; batch_ids say which row slot a line belongs to.\n");
    command->callback([file, reader, &action] {
        action = [file, reader] { return print_batches(*file, reader); };
    });
}

} // namespace alxsim::program
