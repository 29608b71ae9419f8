// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/objective_elsewhere.h"
#include "alx/requests/config_request.h"
#include "alx/requests/dataset_request.h"
#include "alx/training/training_tables.h"
#include "base/input_error.h"
#include "base/json_document.h"
#include "base/text/printed.h"
#include "program/dataset/commands.h"
#include "program/dataset/dataset_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>

namespace alxsim::program {

using namespace alx;

namespace {

struct TranslateRequest {
    std::shared_ptr<DatasetFile> file = std::make_shared<DatasetFile>();
    std::optional<std::int64_t> links; ///< in place of a file
    std::string from;
    std::string to = "alxsim";
    ObjectiveValues values;
    double value = 1;
    std::optional<std::int64_t> factors;
    std::optional<std::int64_t> iterations;
    bool json = false;
};

/// What the translation takes of the links, and by how much rows and columns differ.
struct CountedLinks {
    LinkCounts counts;
    std::vector<std::int64_t> row_lengths = {};    ///< without zeros, ascending; empty: not known
    std::vector<std::int64_t> column_lengths = {}; ///< likewise
};

void drop_zeros_and_sort(std::vector<std::int64_t>& lengths)
{
    lengths.erase(std::remove(lengths.begin(), lengths.end(), 0), lengths.end());
    std::sort(lengths.begin(), lengths.end());
}

/// Counts the rows that `for_each` tells; rows and columns without links count for nothing.
CountedLinks counted(std::int64_t columns, const std::function<void(const TakeRow&)>& for_each)
{
    CountedLinks found;
    found.column_lengths.resize(static_cast<std::size_t>(columns));
    for_each([&found](const std::vector<std::int32_t>& ids) {
        found.row_lengths.push_back(static_cast<std::int64_t>(ids.size()));
        found.counts.links += found.row_lengths.back();
        for (const std::int32_t column : ids) {
            ++found.column_lengths[static_cast<std::size_t>(column)];
        }
    });
    drop_zeros_and_sort(found.row_lengths);
    drop_zeros_and_sort(found.column_lengths);
    LinkCounts& counts = found.counts;
    counts.rows = counts.linked_rows = static_cast<std::int64_t>(found.row_lengths.size());
    counts.columns = counts.linked_columns = static_cast<std::int64_t>(found.column_lengths.size());
    return found;
}

/// Counts what the training of a study's first point counts, where all links weigh alike.
CountedLinks counted_in_study(const std::string& file, const StudyReader& reader)
{
    const PointRequest point = point_request(reader.first_point(file));
    if (weighs_links(point.workload)) {
        throw InputError(file, "/workload/alx/weights",
                         "found \"confidence\", with which links weigh what the file says; allowed "
                         "to translate: \"ignore\". Of the paper and Spark alpha is 1 over theirs, "
                         "with values as they stand; see 'Ratings and counts as confidences' in "
                         "docs/objective.md");
    }
    const Dataset data = dataset_of(point, file);
    CountedLinks found = counted(data.training.columns,
                                 [&data](const TakeRow& row) { for_each_row(data.training, row); });
    found.counts.rows = trained_rows(config_of(point), data);
    found.counts.columns = data.training.columns;
    return found;
}

CountedLinks counted_links(const TranslateRequest& request, const StudyReader& reader)
{
    const DatasetFile& file = *request.file;
    if (!file.path.empty()) {
        if (std::filesystem::path(file.path).extension() == ".json") {
            return counted_in_study(file.path, reader);
        }
        const MatrixRows rows = rows_of_file(file);
        return counted(rows.size().columns, [&rows](const TakeRow& row) { rows.for_each(row); });
    }
    if (!file.rows || !file.columns || !request.links) {
        throw InputError("dataset translate", "",
                         "found no links to count; allowed: FILE, or --rows, --columns and --links "
                         "of what is trained on");
    }
    return {{*file.rows, *file.columns, *request.links, *file.rows, *file.columns}};
}

Convention convention_of(const std::string& name)
{
    const std::vector<ConventionName>& all = convention_names();
    return std::find_if(all.begin(), all.end(),
                        [&](const ConventionName& one) { return one.name == name; })
        ->convention;
}

/// What a side's shortest and longest have for a ridge there and here, where the mean has the same.
struct RidgeRatios {
    double shortest = 1;
    double longest = 1;

    bool are_one() const { return std::abs(shortest - 1) < 1e-12 && std::abs(longest - 1) < 1e-12; }
};

/// A translation with what can be said of it.
struct Translation {
    CountedLinks links;
    ObjectiveValues values;
    RidgeRatios rows;
    RidgeRatios columns;
    bool is_exact = false;   ///< the same minimizer but for the tables' lengths
    double score_factor = 1; ///< of all scores, there to here
};

RidgeRatios ratios_of(const std::vector<std::int64_t>& lengths, double mean,
                      const std::function<double(double links)>& ratio)
{
    if (lengths.empty()) {
        return {};
    }
    return {ratio(static_cast<double>(lengths.front())) / ratio(mean),
            ratio(static_cast<double>(lengths.back())) / ratio(mean)};
}

Translation translation_of(const TranslateRequest& request, const StudyReader& reader)
{
    Translation found;
    found.links = counted_links(request, reader);
    const LinkCounts& counts = found.links.counts;
    if (counts.links == 0) {
        throw InputError(request.file->path, "", "has no links; allowed: links to train on");
    }
    const Convention from = convention_of(request.from);
    const Convention to = convention_of(request.to);
    try {
        found.values = translated(request.values, from, to, counts, request.value);
    } catch (const InputError& error) {
        throw InputError("--alpha", "", error.problem());
    }
    const auto ratio_over = [&](std::int64_t others) {
        return [&, others](double links) {
            return ridge(to, found.values, links, others) /
                   ridge(from, request.values, links, others);
        };
    };
    found.rows = ratios_of(found.links.row_lengths, counts.mean_row(), ratio_over(counts.columns));
    found.columns =
        ratios_of(found.links.column_lengths, counts.mean_column(), ratio_over(counts.rows));
    const bool known = !found.links.row_lengths.empty();
    found.is_exact = from == to || (known && found.rows.are_one() && found.columns.are_one());
    const auto wanted = [](Convention convention, double alpha) {
        return convention == Convention::alxsim ? 1 / (1 + alpha) : 1;
    };
    found.score_factor = wanted(to, found.values.alpha) / wanted(from, request.values.alpha);
    return found;
}

/// What each convention calls them.
struct Names {
    const char* alpha;
    const char* regularization;
    const char* factors;
    const char* iterations;
};

Names names_of(const std::string& convention)
{
    if (convention == "implicit") {
        return {"alpha", "regularization", "factors", "iterations"};
    }
    if (convention == "spark") {
        return {"alpha", "regParam", "rank", "maxIter"};
    }
    if (convention == "paper") {
        return {"alpha", "lambda", "f", "sweeps"};
    }
    if (convention == "alx") {
        return {"unobserved_weight", "reg", "dim", "epochs"};
    }
    if (convention == "ials") {
        return {"alpha_0", "lambda", "d", "epochs"};
    }
    return {"alpha", "reg", "dim", "epochs"};
}

Json values_json(const TranslateRequest& request, const Translation& found)
{
    const Names names = names_of(request.to);
    Json values = Json::object();
    if (request.factors) {
        values[names.factors] = *request.factors;
    }
    if (request.iterations) {
        values[names.iterations] = *request.iterations;
    }
    values[names.regularization] = found.values.regularization;
    values[names.alpha] = found.values.alpha;
    return values;
}

std::string ratios_in_words(const RidgeRatios& ratios, const std::vector<std::int64_t>& lengths,
                            const std::string& what)
{
    const auto links = [](std::int64_t count) {
        return " (" + std::to_string(count) + (count == 1 ? " link)" : " links)");
    };
    return "of the shortest " + what + links(lengths.front()) + " " +
           printed("%.3g", ratios.shortest) + " times, of the longest" + links(lengths.back()) +
           " " + printed("%.3g", ratios.longest) + " times";
}

std::vector<std::string> remarks_of(const TranslateRequest& request, const Translation& found)
{
    const Names names = names_of(request.to);
    const std::string alpha = names.alpha;
    const std::string reg = names.regularization;
    if (convention_of(request.from) == convention_of(request.to)) {
        return {"Exact: both write the same objective."};
    }
    std::vector<std::string> remarks{
        alpha + " is exact: a link weighs " +
        printed("%.4g",
                link_weight(convention_of(request.from), request.values.alpha, request.value)) +
        " times as much as any other pair, there and here. All scores are " +
        printed("%.4g", found.score_factor) + " times as large, in the same order."};
    if (found.is_exact) {
        remarks.push_back(reg + " is exact: all rows have as many links, and all columns, so that "
                                "both have the same minimizer, but for the length of the tables.");
        return remarks;
    }
    remarks.push_back(reg + " is exact where all rows have as many links, and all columns" +
                      (found.links.row_lengths.empty() ? "; whether they do is not known here."
                                                       : ", and they do not: the ridges of a row "
                                                         "and a column of mean length, multiplied, "
                                                         "are what they were."));
    if (!found.links.row_lengths.empty()) {
        remarks.push_back("Of others the ridge is not what it was: " +
                          ratios_in_words(found.rows, found.links.row_lengths, "row") + "; " +
                          ratios_in_words(found.columns, found.links.column_lengths, "column") +
                          ".");
    }
    return remarks;
}

/// Returns values to search among, round the translated one.
Json search_json(const Translation& found)
{
    Json regs = Json::array();
    for (const double factor : {0.1, 0.3, 1.0, 3.0, 10.0}) {
        regs.push_back(rounded("%.2g", factor * found.values.regularization));
    }
    return {{"kind", "grid"}, {"over", {{"/workload/alx/reg", regs}}}};
}

bool is_for_a_study(const TranslateRequest& request)
{
    return request.to == "alxsim";
}

Json answer_json(const TranslateRequest& request, const Translation& found)
{
    const LinkCounts& counts = found.links.counts;
    Json answer{{"from", request.from},
                {"to", request.to},
                {"rows", counts.rows},
                {"columns", counts.columns},
                {"links", counts.links},
                {"mean_row_links", counts.mean_row()},
                {"mean_column_links", counts.mean_column()},
                {"values", values_json(request, found)},
                {"exact", found.is_exact},
                {"score_factor", found.score_factor}};
    if (!found.links.row_lengths.empty()) {
        answer["ridge_ratios"] = {{"shortest_row", found.rows.shortest},
                                  {"longest_row", found.rows.longest},
                                  {"shortest_column", found.columns.shortest},
                                  {"longest_column", found.columns.longest}};
    }
    if (is_for_a_study(request)) {
        const Json values = values_json(request, found);
        for (const auto& [name, value] : values.items()) {
            answer["set"]["/workload/alx/" + name] = value;
        }
        if (!found.is_exact) {
            answer["search"] = search_json(found);
        }
    }
    answer["remarks"] = remarks_of(request, found);
    return answer;
}

void print_words(const TranslateRequest& request, const Translation& found)
{
    const LinkCounts& counts = found.links.counts;
    std::cout << in_thousands(counts.rows) << " rows, " << in_thousands(counts.columns)
              << " columns, " << in_thousands(counts.links)
              << " links: " << printed("%.4g", counts.mean_row()) << " of a row, "
              << printed("%.4g", counts.mean_column()) << " of a column\n";
    Json shown = values_json(request, found);
    for (Json& value : shown) {
        value = value.is_number_float() ? Json(rounded("%.6g", value.get<double>())) : value;
    }
    const std::string values = shown.dump();
    if (is_for_a_study(request)) {
        std::cout << "\nInto the study's \"workload\":\n  \"alx\": " << values << "\n";
        if (!found.is_exact) {
            std::cout << "and beside it, to search from there:\n  \"search\": "
                      << search_json(found).dump() << "\n";
        }
    } else {
        std::cout << "\nFor " << request.to << ":\n  " << values << "\n";
    }
    std::cout << "\n";
    for (const std::string& remark : remarks_of(request, found)) {
        std::cout << remark << "\n";
    }
}

int translate(const TranslateRequest& request, const StudyReader& reader)
{
    const Translation found = translation_of(request, reader);
    if (request.json) {
        std::cout << answer_json(request, found).dump(2) << "\n";
    } else {
        print_words(request, found);
    }
    return 0;
}

void add_values(CLI::App& command, const std::shared_ptr<TranslateRequest>& request)
{
    std::vector<std::string> names;
    for (const ConventionName& one : convention_names()) {
        names.push_back(one.name);
    }
    command
        .add_option("--from", request->from,
                    "Whose values these are: implicit (benfred/implicit), spark (ALS with "
                    "implicitPrefs), paper (Hu, Koren, Volinsky 2008), alx, ials, alxsim")
        ->required()
        ->check(CLI::IsMember(names));
    command.add_option("--to", request->to, "For whom, of the same names")
        ->capture_default_str()
        ->check(CLI::IsMember(names));
    command
        .add_option("--regularization,--reg,--lambda,--regParam", request->values.regularization,
                    "The regularizer, whatever it is called there")
        ->required()
        ->check(CLI::PositiveNumber);
    command
        .add_option("--alpha", request->values.alpha,
                    "The confidence in a link there, or the weight of a pair without one (alx, "
                    "ials, alxsim)")
        ->required()
        ->check(CLI::PositiveNumber);
    command
        .add_option("--value", request->value,
                    "What stands in the matrix for a link, the same for all")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command
        .add_option("--factors,--rank,--dim", request->factors,
                    "Numbers of a row's vector: the same everywhere, under another name")
        ->check(CLI::Range(std::int64_t{1}, most_ids));
    command
        .add_option("--iterations,--maxIter,--epochs", request->iterations,
                    "Likewise, how often both tables are solved")
        ->check(CLI::Range(std::int64_t{1}, most_ids));
}

} // namespace

void add_dataset_translate(CLI::App& parent, Action& action, const StudyReader& reader)
{
    CLI::App* command = parent.add_subcommand(
        "translate", "Translates regularization and alpha of implicit, Spark and papers for these "
                     "links, and back");
    auto request = std::make_shared<TranslateRequest>();
    add_reading(*command, request->file);
    command->get_option("FILE")->required(false);
    command
        ->add_option("--links", request->links, "Without FILE: how many, of --rows and --columns")
        ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
    add_values(*command, request);
    command->add_flag("--json", request->json, "As JSON");
    command->footer(
        std::string(
            "\nFILE is what is trained on; of a study (FILE.json), the training links of its first "
            "point. How many links a\nrow and a column have decides what a regularizer is "
            "elsewhere "
            "(docs/objective.md).\n\nExamples:\n"
            "  alxsim dataset translate ratings.csv --from implicit --factors 64 --regularization "
            "0.01 "
            "--alpha 40\n"
            "  alxsim dataset translate --rows 6000 --columns 3700 --links 600000 --from spark "
            "--regParam 0.1 --alpha 40\n") +
        formats_help);
    command->callback([request, reader, &action] {
        action = [request, reader] { return translate(*request, reader); };
    });
}

} // namespace alxsim::program
