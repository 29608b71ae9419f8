// SPDX-License-Identifier: Apache-2.0
#include "report/compact/compact_points.h"

#include "base/input_error.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace alxsim::report {
namespace {

/// Objects have fields, and lists with an object or a list in them have items; all else is a value.
bool has_parts(const Json& value)
{
    return !value.empty() &&
           (value.is_object() ||
            (value.is_array() && std::any_of(value.begin(), value.end(), [](const Json& item) {
                 return item.is_structured();
             })));
}

/// An object or a list of the same form, of what `of` makes of each of its parts.
template <class Of>
Json mapped(const Json& value, Of of)
{
    Json result = value.is_object() ? Json::object() : Json::array();
    for (const auto& [key, part] : value.items()) {
        if (value.is_object()) {
            result[key] = of(part);
        } else {
            result.push_back(of(part));
        }
    }
    return result;
}

/// The fields of a point as a text, and its values in their order.
class Taker {
public:
    void take(const Json& value)
    {
        if (!has_parts(value)) {
            fields.push_back('.');
            values.push_back(value.dump());
            return;
        }
        fields.push_back(value.is_object() ? '{' : '[');
        for (const auto& [key, part] : value.items()) {
            if (value.is_object()) {
                fields.append(std::to_string(key.size())).append(":").append(key);
            }
            take(part);
        }
        fields.push_back('}');
    }

    std::string fields;
    std::vector<std::string> values;
};

/// Numbers in place of values, from `next` on.
Json numbered(const Json& value, std::size_t& next)
{
    return has_parts(value)
               ? mapped(value, [&next](const Json& part) { return numbered(part, next); })
               : Json(next++);
}

/// The columns that a part of a shape names.
void collect(const Json& part, std::set<std::size_t>& columns)
{
    if (!part.is_structured()) {
        columns.insert(part.get<std::size_t>());
        return;
    }
    for (const Json& inner : part) {
        collect(inner, columns);
    }
}

/// Columns as they come: 0, 1, 2 ..
Json renumbered(const Json& part, std::size_t& next)
{
    return part.is_structured()
               ? mapped(part, [&](const Json& inner) { return renumbered(inner, next); })
               : Json(next++);
}

template <class Texts>
std::string listed(const Texts& texts)
{
    std::size_t size = 2;
    for (const std::string_view text : texts) {
        size += text.size() + 1;
    }
    std::string list;
    list.reserve(size);
    list = "[";
    for (const std::string_view text : texts) {
        list.append(list.size() > 1 ? "," : "").append(text);
    }
    return list.append("]");
}

/// Reads one column after the other, point by point.
class ColumnReader {
public:
    ColumnReader(const Json& column, const std::string& file, std::string place)
        : file_(file),
          place_(std::move(place))
    {
        const auto list = [&](const char* name) {
            const Json* const found =
                column.is_object() && column.contains(name) ? &column.at(name) : nullptr;
            return found != nullptr && found->is_array() ? found : nullptr;
        };
        value_ = column.is_object() && column.contains("value") ? &column.at("value") : nullptr;
        values_ = list("values");
        distinct_ = list("distinct");
        at_ = list("at");
        if (value_ == nullptr && values_ == nullptr && (distinct_ == nullptr || at_ == nullptr)) {
            refuse("found no value; allowed: value, values, or distinct and at");
        }
    }

    /// 0: one value for all.
    std::size_t size() const
    {
        return value_ != nullptr ? 0 : values_ != nullptr ? values_->size() : at_->size();
    }

    const Json& value_of(std::size_t point) const
    {
        if (value_ != nullptr) {
            return *value_;
        }
        const Json& column = values_ != nullptr ? *values_ : *at_;
        if (point >= column.size()) {
            refuse("found " + std::to_string(column.size()) +
                   " values; allowed: as many as the shape has points");
        }
        if (values_ != nullptr) {
            return values_->at(point);
        }
        const Json& place = at_->at(point);
        if (!place.is_number_unsigned() || place.get<std::size_t>() >= distinct_->size()) {
            refuse("found " + place.dump() + "; allowed: places in distinct, below " +
                   std::to_string(distinct_->size()));
        }
        return distinct_->at(place.get<std::size_t>());
    }

private:
    [[noreturn]] void refuse(const std::string& problem) const
    {
        throw InputError(file_, place_, problem);
    }

    const std::string& file_;
    std::string place_;
    const Json* value_ = nullptr;
    const Json* values_ = nullptr;
    const Json* distinct_ = nullptr;
    const Json* at_ = nullptr;
};

class ShapeReader {
public:
    ShapeReader(const Json& shape, const std::string& file, std::string place)
        : file_(file),
          place_(std::move(place))
    {
        if (!shape.is_object() || !shape.contains("point") || !shape.at("point").is_object() ||
            !shape.contains("columns") || !shape.at("columns").is_array()) {
            throw InputError(file_, place_, "found no point with its columns");
        }
        point_ = &shape.at("point");
        for (const Json& column : shape.at("columns")) {
            columns_.emplace_back(column, file_,
                                  place_ + "/columns/" + std::to_string(columns_.size()));
            const std::size_t size = columns_.back().size();
            if (size > 0 && points_ > 0 && size != points_) {
                throw InputError(file_, place_,
                                 "found columns of " + std::to_string(points_) + " and of " +
                                     std::to_string(size) + " values");
            }
            points_ = std::max(points_, size);
        }
        points_ = std::max<std::size_t>(1, points_);
    }

    void require_all_taken() const
    {
        if (next_ != points_) {
            throw InputError(file_, place_,
                             "found " + std::to_string(points_) + " points, of which runs have " +
                                 std::to_string(next_));
        }
    }

    Json next()
    {
        if (next_ == points_) {
            throw InputError(file_, place_,
                             "found more points in runs than its columns have, " +
                                 std::to_string(points_));
        }
        return filled(*point_, next_++);
    }

private:
    Json filled(const Json& part, std::size_t point) const
    {
        if (!part.is_structured()) {
            if (!part.is_number_unsigned() || part.get<std::size_t>() >= columns_.size()) {
                throw InputError(file_, place_ + "/point",
                                 "found " + part.dump() + "; allowed: numbers of columns, below " +
                                     std::to_string(columns_.size()));
            }
            return columns_[part.get<std::size_t>()].value_of(point);
        }
        return mapped(part, [&](const Json& inner) { return filled(inner, point); });
    }

    const std::string& file_;
    std::string place_;
    std::size_t points_ = 0; ///< of its columns: a shape without any is of a single point
    const Json* point_ = nullptr;
    std::vector<ColumnReader> columns_;
    std::size_t next_ = 0;
};

/// A run of points of one shape.
std::pair<std::size_t, std::size_t> run_of(const Json& run, std::size_t shapes,
                                           const std::string& file, const std::string& place)
{
    const bool numbers = run.is_array() && run.size() == 2 && run.at(0).is_number_unsigned() &&
                         run.at(1).is_number_unsigned();
    if (!numbers || run.at(0).get<std::size_t>() >= shapes) {
        throw InputError(file, place,
                         "found " + run.dump() + "; allowed: [shape, points], a shape below " +
                             std::to_string(shapes));
    }
    return {run.at(0).get<std::size_t>(), run.at(1).get<std::size_t>()};
}

} // namespace

void CompactPoints::Column::add(std::string_view value)
{
    if (2 * (ends_.size() + 1) > slots_.size()) {
        grow();
    }
    std::uint32_t& number = slots_[slot_of(value)];
    if (number == none) {
        number = static_cast<std::uint32_t>(ends_.size());
        values_.append(value);
        ends_.push_back(values_.size());
    }
    at.push_back(number);
}

std::string_view CompactPoints::Column::value(std::uint32_t number) const
{
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(values_).substr(begin, ends_[number] - begin);
}

std::size_t CompactPoints::Column::slot_of(std::string_view wanted) const
{
    std::size_t slot = std::hash<std::string_view>()(wanted) % slots_.size();
    while (slots_[slot] != none && value(slots_[slot]) != wanted) {
        slot = (slot + 1) % slots_.size();
    }
    return slot;
}

void CompactPoints::Column::grow()
{
    slots_.assign(std::max<std::size_t>(4, 2 * slots_.size()), none);
    for (std::uint32_t number = 0; number < ends_.size(); ++number) {
        slots_[slot_of(value(number))] = number;
    }
}

std::string CompactPoints::Column::text(bool of_all) const
{
    if (of_all && distinct() == 1) {
        return "{\"value\":" + std::string(value(0)) + "}";
    }
    std::vector<std::string_view> values, all;
    std::vector<std::string> numbers;
    for (const std::uint32_t number : at) {
        values.push_back(value(number));
        numbers.push_back(std::to_string(number));
    }
    for (std::uint32_t number = 0; number < distinct(); ++number) {
        all.push_back(value(number));
    }
    std::string whole = "{\"values\":" + listed(values) + "}";
    std::string by_place = "{\"distinct\":" + listed(all) + ",\"at\":" + listed(numbers) + "}";
    return by_place.size() < whole.size() ? by_place : whole;
}

void CompactPoints::add(const Json& point)
{
    Taker taker;
    taker.take(point);
    const auto [found, is_new] = numbers_.emplace(std::move(taker.fields), shapes_.size());
    if (is_new) {
        std::size_t next = 0;
        shapes_.push_back({numbered(point, next), std::vector<Column>(taker.values.size())});
    }
    Shape& shape = shapes_[found->second];
    for (std::size_t i = 0; i < shape.columns.size(); ++i) {
        shape.columns[i].add(taker.values[i]);
    }
    if (runs_.empty() || runs_.back().first != found->second) {
        runs_.emplace_back(found->second, 0);
    }
    ++runs_.back().second;
}

std::string CompactPoints::text(const std::set<std::string>& left_out) const
{
    std::vector<std::string> runs, shapes;
    for (const auto& [shape, points] : runs_) {
        runs.push_back("[" + std::to_string(shape) + "," + std::to_string(points) + "]");
    }
    for (const Shape& shape : shapes_) {
        Json point = Json::object();
        std::set<std::size_t> used;
        for (const auto& [name, part] : shape.point.items()) {
            if (left_out.count(name) == 0) {
                point[name] = part;
                collect(part, used);
            }
        }
        std::vector<std::string> columns;
        // Points that are all the same: a column says how many there are.
        const bool same = std::all_of(used.begin(), used.end(), [&](std::size_t column) {
            return shape.columns[column].distinct() == 1;
        });
        for (const std::size_t column : used) {
            const bool counts = same && columns.empty() && shape.columns[column].at.size() > 1;
            columns.push_back(shape.columns[column].text(!counts));
        }
        std::size_t next = 0;
        shapes.push_back("{\"point\":" + renumbered(point, next).dump() +
                         ",\"columns\":" + listed(columns) + "}");
    }
    return "{\"runs\":" + listed(runs) + ",\"shapes\":" + listed(shapes) + "}";
}

bool is_compact(const Json& points)
{
    return points.is_object();
}

void for_each_point(const Json& points, const std::string& file,
                    const std::function<void(Json point)>& take)
{
    if (!is_compact(points)) {
        for (const Json& point : points) {
            take(point);
        }
        return;
    }
    for (const char* const name : {"runs", "shapes"}) {
        if (!points.contains(name) || !points.at(name).is_array()) {
            throw InputError(file, "/points", "found no list '" + std::string(name) + "'");
        }
    }
    std::vector<ShapeReader> shapes;
    for (const Json& shape : points.at("shapes")) {
        shapes.emplace_back(shape, file, "/points/shapes/" + std::to_string(shapes.size()));
    }
    std::size_t number = 0;
    for (const Json& run : points.at("runs")) {
        const auto [shape, count] =
            run_of(run, shapes.size(), file, "/points/runs/" + std::to_string(number++));
        for (std::size_t i = 0; i < count; ++i) {
            take(shapes[shape].next());
        }
    }
    for (const ShapeReader& shape : shapes) {
        shape.require_all_taken();
    }
}

} // namespace alxsim::report
