// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/statement_entries.h"

#include "base/schema/json_schema.h"

namespace alxsim {
namespace experiments {
namespace {

constexpr double most_counted = std::numeric_limits<int>::max();

} // namespace

template <class Fields>
void list_fields(Fields& fields, FigureEntry& figure)
{
    fields("run", figure.run,
           "Which run it is about: its batches, hosts and longest row are its own.");
    fields("at", figure.at, "machine and workload, merged onto the study.",
           limits::as_json(R"({"type": "object", "properties":
               {"machine": {"type": "object"}, "workload": {"type": "object"}}})"));
    fields("figure", figure.figure);
    fields("op", figure.op,
           "In place of figure: the seconds of one op by itself, as for alxsim op.",
           limits::as_json(R"({"type": "object", "required": ["work"]})"));
    fields.newer("times", figure.times, limits::above(0));
}

template <class Fields>
void list_fields(Fields& fields, FirstGain& gain)
{
    fields.newer("first", gain.first, limits::between(1, most_counted));
    fields("at_least", gain.at_least);
}

template <class Fields>
void list_fields(Fields& fields, LaterGain& gain)
{
    fields.newer("any", gain.any);
    fields("at_most", gain.at_most);
}

template <class Fields>
void list_fields(Fields& fields, ShapeEntry& shape)
{
    fields("gain", shape.gain, "So many first steps gain at least this share of perfect scaling.");
    fields("later", shape.later, "Any later step (or each of them) gains at most this share.");
}

template <class Fields>
void list_fields(Fields& fields, StatementEntry& entry)
{
    fields("name", entry.name);
    fields.unless_empty("source", entry.source);
    list_fields(fields, entry.figure);
    fields("value", entry.value, limits::above(0));
    fields.newer("tolerance", entry.tolerance, "Relative.", limits::amount);
    fields("at_most", entry.at_most, limits::above(0));
    fields("at_least", entry.at_least, limits::above(0));
    fields("is", entry.is);
    fields("ratio_to", entry.ratio_to);
    fields.unless_empty("cores", entry.cores,
                        limits::and_length(limits::between(1, most_counted), 2));
    fields("shape", entry.shape);
    fields("claim", entry.claim, limits::one_of("linear_then_flat"));
    fields.newer("weight", entry.weight,
                 "1: a draw in which it is false is rejected; less: the draw keeps the share "
                 "1 - weight of its own weight.",
                 limits::and_at_most(limits::above(0), 1));
}

template <class Fields>
void list_fields(Fields& fields, StatementFile& file)
{
    fields("statements", file.statements);
    fields("measurements", file.measurements,
           "Without value: what --measure ranks. tolerance is how well each can be made.");
}

StatementFile statement_file(const Json& document, const std::string& file)
{
    static const std::string schema = statements_schema().dump();
    validate_json(document, schema, file);
    return value_of_file<StatementFile>(document, file);
}

} // namespace experiments

namespace json_schema {

/// Statements and measurements are of one form.
template <>
struct Of<experiments::StatementEntry> {
    static Json schema(const FieldLimits& /*limits*/, Use /*use*/)
    {
        return {{"$ref", "#/definitions/statement"}};
    }
};

} // namespace json_schema

const Json& experiments::statements_schema()
{
    static const Json schema = [] {
        Json made{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", "What has been published or measured, or what could be measured, for "
                            "alxsim infer"}};
        made.update(json_schema::of_type<StatementFile>({}, json_schema::Use::read));
        SchemaWriter statement(json_schema::Use::read);
        StatementEntry entry;
        list_fields(statement, entry);
        made["definitions"]["statement"] = statement.take();
        return made;
    }();
    return schema;
}

} // namespace alxsim
