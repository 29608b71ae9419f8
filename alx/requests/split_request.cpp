// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/split_request.h"

#include "alx/data/times/later_links.h"
#include "alx/requests/dataset_request.h"
#include "alx/table/link_time.h"
#include "base/input_error.h"

#include <utility>
#include <vector>

namespace alxsim::alx {
namespace {

constexpr const char* split_place = "/workload/split";

bool is(const SplitRequest& split, const char* kind)
{
    return split.kind.value_or("rows") == kind;
}

/// A test file says all by itself, in the ids of the file.
void check_test_file(const DatasetRequest& dataset, const SplitRequest& split)
{
    if (split.kind || split.test_rows || split.held_out_links || split.min_links || split.seed ||
        split.at || split.links || split.order) {
        throw InputError("", split_place,
                         "found test_file beside other fields, allowed is test_file alone, or a "
                         "kind with test_rows, held_out_links, min_links, seed ..");
    }
    if (filter_config_of(dataset.filter.value_or(FilterRequest{})).drops_nodes()) {
        throw InputError(
            "", "/workload/dataset/filter",
            "gives rows and columns new ids, which those of test_file are not; allowed "
            "is one of the two: filter with 'alxsim dataset convert', then split");
    }
}

/// In the file's units: those of a date are seconds since 1970.
std::optional<double> cut_of(const SplitRequest& split)
{
    if (!split.at || split.at->is_number()) {
        return split.at ? std::optional(split.at->get<double>()) : std::nullopt;
    }
    const std::optional<double> time = link_time(split.at->get<std::string>());
    if (!time) {
        throw InputError("", std::string(split_place) + "/at",
                         "found " + split.at->dump() +
                             "; allowed: a number as the file counts time, or where it has dates "
                             "or seconds since 1970 a date, like \"2017-06-01\" or \"2017-06-01 "
                             "17:30:00\"");
    }
    return time;
}

/// Fields that another kind has.
void check_fields(const SplitRequest& split)
{
    struct Field {
        const char* name;
        bool there;
        std::string kinds;
    };
    const std::vector<Field> fields{
        {"held_out_links", split.held_out_links.has_value(), "rows, temporal"},
        {"at", split.at.has_value(), "temporal"},
        {"links", split.links.has_value(), "leave_out"},
        {"order", split.order.has_value(), "leave_out"}};
    const std::string kind = split.kind.value_or("rows");
    for (const Field& field : fields) {
        if (field.there && field.kinds.find(kind) == std::string::npos) {
            throw InputError("", std::string(split_place) + "/" + field.name,
                             "found beside kind " + kind + ", allowed is beside " + field.kinds);
        }
    }
    cut_of(split);
    if (split.at && split.held_out_links) {
        throw InputError("", std::string(split_place) + "/at",
                         "found beside held_out_links; allowed is one of them: a time, or a share "
                         "of the links");
    }
}

void check_rows(const SplitRequest& split)
{
    if (test_share(split) >= 1) {
        throw InputError("", std::string(split_place) + "/test_rows",
                         "found 1, which leaves no row to train on; allowed: below 1");
    }
    if (test_row_links(split) < 2) {
        throw InputError("", std::string(split_place) + "/min_links",
                         "found 1; allowed: 2 or more, as one of them is to be found and one is "
                         "known");
    }
}

void check_source(const DatasetRequest& dataset, const SplitRequest& split)
{
    const bool wants_times = is(split, "temporal") || split.order.value_or("") == "time";
    if (!dataset.file && (wants_times || !dataset.generate)) {
        throw InputError(
            "", std::string(split_place) + (wants_times && split.order ? "/order" : "/kind"),
            wants_times ? "found a split by time of links that have none; allowed: "
                          "beside /workload/dataset/file, of a table with times"
                        : "found '" + *split.kind +
                              "' of a matrix that is known by its sizes; allowed: "
                              "beside file or generate, or kind rows");
    }
}

/// None where last links are drawn.
LinkTimes times_for(const SparseMatrix& matrix, const KeptIds& ids, const DatasetRequest& dataset,
                    const SplitRequest& split, const std::string& file)
{
    if (!dataset.file || split.order.value_or("") == "random") {
        return {};
    }
    const DatasetFile source = dataset_file_of(dataset, file);
    const bool by_time = is(split, "temporal") || split.order || tells_link_times(source);
    return by_time ? link_times(source, matrix, ids) : LinkTimes{};
}

Dataset later_parts(const SparseMatrix& matrix, const LinkTimes& times, const SplitRequest& split)
{
    LaterLinksConfig config = later_links_config_of(split);
    LaterLinks parts = hold_out_later_links(matrix, times, config);
    if (!split.validation) {
        return std::move(parts.data);
    }
    config.at.reset();
    config.seed += 1;
    Dataset validation =
        hold_out_later_links(parts.data.training, parts.training_times, config).data;
    validation.withheld_rows += parts.data.withheld_rows;
    return validation;
}

/// With validation: of what a split leaves for training, a part like the test rows, drawn with
/// another seed.
Dataset row_parts(const SparseMatrix& matrix, const SplitRequest& request)
{
    SplitConfig config = split_config_of(request);
    Dataset data = split(matrix, config);
    if (!request.validation) {
        return data;
    }
    config.seed += 1;
    Dataset validation = split(data.training, config);
    validation.withheld_rows = data.training.rows - data.training_row_count();
    return validation;
}

} // namespace

SplitConfig split_config_of(const SplitRequest& split)
{
    const SplitConfig defaults;
    return {test_share(split), split.held_out_links.value_or(defaults.held_out_links),
            test_row_links(split), split.seed.value_or(defaults.seed)};
}

LaterLinksConfig later_links_config_of(const SplitRequest& split)
{
    LaterLinksConfig config;
    config.at_one_time = is(split, "temporal");
    config.held_out_links = split.held_out_links.value_or(config.held_out_links);
    config.at = cut_of(split);
    config.last_links = split.links.value_or(config.last_links);
    config.test_rows = test_share(split);
    config.min_links = test_row_links(split);
    config.seed = split.seed.value_or(config.seed);
    return config;
}

void check_split(const DatasetRequest& dataset, const SplitRequest& split)
{
    if (split.test_file) {
        check_test_file(dataset, split);
        return;
    }
    check_fields(split);
    if (holds_out_rows(split)) {
        check_rows(split);
    } else {
        check_source(dataset, split);
    }
}

bool holds_out_rows(const SplitRequest& split)
{
    return is(split, "rows");
}

double test_share(const SplitRequest& split)
{
    return split.test_rows.value_or(holds_out_rows(split) ? SplitConfig().test_rows
                                                          : LaterLinksConfig().test_rows);
}

std::int64_t test_row_links(const SplitRequest& split)
{
    return split.min_links.value_or(SplitConfig().min_links);
}

Dataset parted(SparseMatrix matrix, const KeptIds& ids, const DatasetRequest& dataset,
               const SplitRequest& split, const std::string& file)
{
    Dataset data = holds_out_rows(split)
                       ? row_parts(matrix, split)
                       : later_parts(matrix, times_for(matrix, ids, dataset, split, file), split);
    if (data.test_rows.empty() && test_share(split) > 0) {
        throw InputError(file, split_place,
                         "leaves no test row: found test_rows " + Json(test_share(split)).dump() +
                             " of the rows with " + std::to_string(test_row_links(split)) +
                             " links or more" +
                             (holds_out_rows(split)   ? std::string()
                              : is(split, "temporal") ? " before the cut and one behind it"
                                                      : ", of which one is left") +
                             "; allowed: what takes one, or no split");
    }
    return data;
}

} // namespace alxsim::alx
