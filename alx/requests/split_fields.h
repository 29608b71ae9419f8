// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/requests/dataset_fields.h"
#include "base/schema/field_words.h"

#include <cstdint>
#include <limits>

/// The fields of a study's /workload/split, in the schema's order.
namespace alxsim::alx {

template <class Fields>
void list_fields(Fields& fields, SplitRequest& split)
{
    fields("kind", split.kind,
           "rows: whole rows are held out of training, and a part of their links is to be found. "
           "temporal: links from one time on are to be found of rows that have earlier ones, which "
           "are trained on. leave_out: the last links of each row are. Left out: rows.",
           limits::one_of("rows|temporal|leave_out"));
    fields("test_rows", split.test_rows,
           "Share of the rows that is tested on; of temporal and leave_out, unless given, all that "
           "have enough links.",
           limits::and_keywords(limits::and_at_most(limits::amount, 1),
                                R"({"default": 0.1, "default_unless": ["test_file", "kind"]})"));
    fields(
        "held_out_links", split.held_out_links,
        "Share of a test row's links that is to be found; of temporal, of all links. 0.25 unless "
        "given.",
        limits::and_keywords(limits::and_below(limits::above(0), 1),
                             R"({"default": 0.25, "default_unless": ["test_file", "kind"]})"));
    fields("min_links", split.min_links,
           "That a test row must have; of temporal, before the cut. 5 unless given.",
           limits::and_keywords(limits::at_least(1),
                                R"({"default": 5, "default_unless": ["test_file", "kind"]})"));
    fields("seed", split.seed, "Of the choice of test rows and links.",
           limits::and_keywords(
               limits::at_most(static_cast<double>(std::numeric_limits<std::int64_t>::max())),
               R"({"default": 1, "default_unless": ["test_file", "kind"]})"));
    fields("at", split.at,
           "Of temporal: the time from which on links are to be found, in place of "
           "held_out_links: a number as the file counts time, or, where it has dates or seconds "
           "since 1970, a date.",
           limits::as_json(R"({"oneOf": [{"type": "number"},
               {"type": "string", "examples": ["2017-06-01"]}]})"));
    fields("links", split.links, "Of leave_out: how many of a row are to be found. 1 unless given.",
           limits::at_least(1));
    fields(
        "order", split.order,
        "Of leave_out: which links of a row are the last. Left out: by time where the file tells "
        "times, else drawn by the seed.",
        limits::one_of("time|random"));
    fields("test_file", split.test_file, "Test rows: row | history | ground truth.");
    fields.newer("validation", split.validation,
                 "Whether validation rows take the test rows' place.");
}

} // namespace alxsim::alx
