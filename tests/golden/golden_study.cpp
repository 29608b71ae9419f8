// SPDX-License-Identifier: Apache-2.0
#include "golden_study.h"

#include "golden_files.h"

#include <filesystem>

namespace alxsim {
namespace {

/// A chip with so many devices; v3 has two cores a chip, v5e one.
Json machine_of(int devices)
{
    return {{"chip", devices % 2 == 0 ? "tpu_v3" : "tpu_v5e"}, {"cores", devices}};
}

Json alx_of(const Json& config, int epochs)
{
    const auto tables = config.at("tables").get<std::string>();
    Json alx{{"dim", config.at("d")},
             {"epochs", epochs},
             {"reg", config.at("reg")},
             {"alpha", config.at("alpha")},
             {"solver", config.at("solver")},
             {"table_dtype", tables == "f32pure" ? "f32" : tables},
             {"semantics", "alx"},
             {"switches", {{"residual", config.at("residual")}}},
             {"batch",
              {{"lines", config.at("batch_size")},
               {"line_length", config.at("seq_len")},
               {"rows", config.at("rows_per_batch")}}},
             {"column_batch",
              {{"lines", config.at("t_batch_size")}, {"rows", config.at("t_rows_per_batch")}}},
             {"initial_tables", {{"rows", "rows.npy"}, {"columns", "columns.npy"}}}};
    if (tables == "f32pure") {
        alx["switches"]["solution_cast"] = "table";
    }
    return alx;
}

void write_table(const TemporaryFolder& folder, const std::string& file, const std::string& name,
                 std::int64_t dim)
{
    std::vector<double> values = golden_table(name);
    const auto rows = static_cast<std::int64_t>(values.size()) / dim;
    write_npy(folder.path(file), {rows, dim, std::move(values)}, NpyNumber::f4);
}

} // namespace

Json golden_study(const Json& config, int epochs)
{
    Json study{{"study", "golden"},
               {"machine", machine_of(config.at("M"))},
               {"workload",
                {{"dataset",
                  {{"file", "rows.txt"},
                   {"format", "adjacency"},
                   {"rows", config.at("num_rows")},
                   {"columns", config.at("num_cols")}}},
                 {"alx", alx_of(config, epochs)},
                 {"evaluation",
                  {{"top_k", config.at("eval_topk")},
                   {"batch",
                    {{"lines", config.at("eval_batch_size")},
                     {"rows", config.at("eval_rows_per_batch")},
                     {"ground_truth_lines", config.at("gt_batch_size")}}}}}}}};
    return study;
}

GoldenRun::GoldenRun(const Json& config, int epochs, const GoldenInput& input, const Json& changes)
{
    Json study = golden_study(config, epochs);
    folder_.write("rows.txt", input.adjacency);
    if (!input.tests.empty()) {
        folder_.write("test.txt", input.tests);
        study["workload"]["split"] = {{"test_file", "test.txt"}};
    }
    write_table(folder_, "rows.npy", input.rows, config.at("d"));
    write_table(folder_, "columns.npy", input.columns, config.at("d"));
    study.merge_patch(changes);
    const testing::Outcome outcome = testing::run_program(
        {"run", folder_.write("study.json", study.dump()), "-o", folder_.path("out"), "--export",
         folder_.path("export"), "--quiet", "--threads", "1"});
    problem_ = outcome.exit_code == 0 ? "" : outcome.errors + study.dump();
}

NpyMatrix GoldenRun::table(const std::string& name) const
{
    return read_npy(folder_.path("export/0/" + name + ".npy"));
}

Json GoldenRun::json(const std::string& name) const
{
    return load_json(folder_.path("export/0/" + name + ".json"));
}

std::vector<double> golden_table(const std::string& name)
{
    if (std::filesystem::exists(golden_path(name + ".f64"))) {
        return golden_numbers<double>(name + ".f64");
    }
    const auto single = golden_numbers<float>(name + ".f32");
    return {single.begin(), single.end()};
}

} // namespace alxsim
