// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"
#include "alx/placements/placement_measure.h"
#include "alx/requests/dataset_request.h"
#include "base/text/printed.h"
#include "base/text/text_table.h"
#include "program/dataset/commands.h"

#include <filesystem>
#include <iostream>

namespace alxsim::program {

using namespace alx;

namespace {

struct PlacementsRequest {
    std::string file;
    std::vector<int> shards{8, 64};
    bool json = false;
};

SparseMatrix links_of(const std::string& file, const StudyReader& reader)
{
    return std::filesystem::path(file).extension() == ".json"
               ? dataset_of(point_request(reader.first_point(file)), file).training
               : read_matrix({file});
}

Json table_json(const TableMeasure& table)
{
    return {{"most_rows_over_mean", table.rows.imbalance()},
            {"most_links_over_mean", table.links.imbalance()},
            {"room_over_rows", table.padding}};
}

Json measured(const PlacementsRequest& request, const StudyReader& reader)
{
    const SparseMatrix rows = links_of(request.file, reader);
    const SparseMatrix columns = transpose(rows);
    Json result = Json::array();
    for (const int shards : request.shards) {
        for (const std::string& name : placements().names()) {
            const TablePlacement placed =
                placements().create(name)->place(rows, columns, shards, 1);
            const PlacementMeasure measure = measure_placement(placed, rows, columns);
            result.push_back({{"shards", shards},
                              {"placement", name},
                              {"local_share", measure.local_share},
                              {"rows", table_json(measure.rows)},
                              {"columns", table_json(measure.columns)}});
        }
    }
    return result;
}

std::string table_of(const Json& placements)
{
    std::vector<std::vector<std::string>> lines{{"shards", "placement", "local links", "row links",
                                                 "column links", "row room", "column room"}};
    for (const Json& one : placements) {
        lines.push_back(
            {std::to_string(one.at("shards").get<int>()), one.at("placement"),
             printed("%.3f", one.at("local_share").get<double>()),
             printed("%.3f", one.at("rows").at("most_links_over_mean").get<double>()),
             printed("%.3f", one.at("columns").at("most_links_over_mean").get<double>()),
             printed("%.3f", one.at("rows").at("room_over_rows").get<double>()),
             printed("%.3f", one.at("columns").at("room_over_rows").get<double>())});
    }
    return text_table(lines, {true, false, true, true, true, true, true});
}

int print_placements(const PlacementsRequest& request, const StudyReader& reader)
{
    const Json result = measured(request, reader);
    std::cout << (request.json ? result.dump(2) + "\n" : table_of(result));
    return 0;
}

} // namespace

void add_dataset_placements(CLI::App& parent, Action& action, const StudyReader& reader)
{
    CLI::App* command = parent.add_subcommand(
        "placements", "Measures what each placement of rows on shards does to data");
    auto request = std::make_shared<PlacementsRequest>();
    command->add_option("FILE", request->file, "Data in any format, or a study (.json)")
        ->required();
    command->add_option("--shards", request->shards, "Numbers of shards")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    command->add_flag("--json", request->json, "As JSON");
    command->footer("\nlocal links: share of the links whose row and column stand on one shard.\n"
                    "row links, column links: links of the shard that has most, over the mean. In "
                    "the half\n  that solves a table this is its owners' work, in the other half "
                    "how hot its shards are.\nrow room, column room: rows that the shards have "
                    "room for over rows: memory.\n");
    command->callback([request, reader, &action] {
        action = [request, reader] { return print_placements(*request, reader); };
    });
}

} // namespace alxsim::program
