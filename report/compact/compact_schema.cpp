// SPDX-License-Identifier: Apache-2.0
#include "report/compact/compact_points.h"

namespace alxsim::report {

const Json& compact_points_schema()
{
    static const Json schema = Json::parse(R"({
        "type": "object", "additionalProperties": false, "required": ["runs", "shapes"],
        "properties": {
            "runs": {
                "description": "In columns: which shape the next points have, and how many of them in a row.",
                "type": "array",
                "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 0}}},
            "shapes": {
                "description": "In columns: what points with the same fields have in common.",
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["point", "columns"],
                    "properties": {
                        "point": {
                            "description": "A point with the number of a column in place of each value. A list without objects or lists in it is one value.",
                            "type": "object"},
                        "columns": {
                            "description": "What stands in place of their numbers.",
                            "type": "array",
                            "items": {"oneOf": [
                                {"type": "object", "additionalProperties": false, "required": ["value"],
                                 "properties": {"value": {"description": "All points of the shape have it."}}},
                                {"type": "object", "additionalProperties": false, "required": ["values"],
                                 "properties": {"values": {"description": "One for each point of the shape.", "type": "array"}}},
                                {"type": "object", "additionalProperties": false, "required": ["distinct", "at"],
                                 "properties": {
                                    "distinct": {"description": "Values that some points have alike.", "type": "array"},
                                    "at": {"description": "Of each point of the shape, the place of its value among these.",
                                           "type": "array", "items": {"type": "integer", "minimum": 0}}}}]}}}}}}})");
    return schema;
}

} // namespace alxsim::report
