// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/json_mutation.h"

#include "base/json_document.h"
#include "base/numbers/mix64.h"

#include <vector>

namespace alxsim::fuzz {
namespace {

class Mutation {
public:
    Mutation(Json& document, std::uint64_t seed) : document_(document), state_(seed)
    {
        collect(document_);
    }

    void apply()
    {
        Json& place = *pick(places_);
        switch (below(6)) {
        case 0:
            place = edge_of(place);
            break;
        case 1:
            place = pick(edges());
            break;
        case 2:
            drop_one(place);
            break;
        case 3:
            repeat_one(place);
            break;
        case 4:
            rename_one(place);
            break;
        default:
            place = Json(*pick(places_)); // a copy: the place may be inside it
        }
    }

private:
    std::size_t below(std::size_t bound)
    {
        state_ = mix64(state_ + 1);
        return static_cast<std::size_t>(state_ % bound);
    }
    template <class T>
    const T& pick(const std::vector<T>& list)
    {
        return list[below(list.size())];
    }

    void collect(Json& node)
    {
        places_.push_back(&node);
        if (node.is_structured()) {
            for (Json& child : node) {
                collect(child);
            }
        }
    }

    /// One of each type, and where types end.
    static const std::vector<Json>& edges()
    {
        static const std::vector<Json> all{nullptr,
                                           true,
                                           false,
                                           0,
                                           1,
                                           -1,
                                           2,
                                           3,
                                           7,
                                           64,
                                           127,
                                           128,
                                           255,
                                           256,
                                           1000,
                                           65535,
                                           65536,
                                           1000000,
                                           16777216,
                                           2147483646,
                                           2147483647,
                                           2147483648,
                                           4294967295,
                                           4294967296,
                                           4294967297,
                                           9007199254740993,
                                           9223372036854775807,
                                           18446744073709551615U,
                                           -2147483648,
                                           -2147483649,
                                           0.5,
                                           -0.5,
                                           1e-300,
                                           1e300,
                                           -1e300,
                                           1e15,
                                           1e19,
                                           0.1,
                                           1e9,
                                           "",
                                           "a",
                                           "x2",
                                           "x0",
                                           "x-1",
                                           "x1e308",
                                           "2x2",
                                           "1x1x1",
                                           "999999999x999999999",
                                           "/",
                                           "/0",
                                           "~",
                                           "auto",
                                           "all",
                                           "0-999999",
                                           "\n",
                                           "\x1b[31m",
                                           "<script>",
                                           "=1+1",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({nullptr}),
                                           Json::array({0, 0})};
        return all;
    }

    /// A number next to it, or at the edge of its type; of another value, any of edges().
    Json edge_of(const Json& value)
    {
        if (!value.is_number()) {
            return pick(edges());
        }
        const auto number = value.get<double>();
        const std::vector<Json> near{-number,    number + 1,   number - 1,   number * 2,
                                     number / 2, number * 1e6, number * 1e-6};
        if (value.is_number_integer() && below(2) == 0) {
            const auto whole = value.get<std::uint64_t>();
            return pick(std::vector<Json>{whole + 1, whole - 1, whole * 2, whole / 2,
                                          whole + 4294967296U, 0U - whole});
        }
        return below(2) == 0 ? pick(near) : pick(edges());
    }

    void drop_one(Json& node)
    {
        if (node.is_structured() && !node.empty()) {
            node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
        }
    }

    /// An object then has a key twice.
    void repeat_one(Json& node)
    {
        if (!node.is_structured() || node.empty()) {
            return;
        }
        const std::size_t index = below(node.size());
        if (node.is_array()) {
            node.push_back(Json(node.at(index)));
        } else {
            auto& fields = node.get_ref<Json::object_t&>();
            const auto field = *std::next(fields.begin(), static_cast<std::ptrdiff_t>(index));
            fields.push_back(field);
        }
    }

    /// A field gets the key of any other in the document, or a key that is none.
    void rename_one(Json& node)
    {
        if (!node.is_object() || node.empty()) {
            return;
        }
        const Json* other = pick(places_);
        const std::string key =
            other->is_object() && !other->empty()
                ? std::next(other->begin(), static_cast<std::ptrdiff_t>(below(other->size()))).key()
                : "none";
        node[key] = Json(*std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
    }

    Json& document_;
    std::uint64_t state_;
    std::vector<Json*> places_;
};

} // namespace

std::string mutated_json(std::string_view text, std::uint64_t seed)
{
    constexpr std::uint64_t bytes_every = 16;
    Json document = Json::parse(text, nullptr, false, true);
    if (document.is_discarded() || mix64(seed) % bytes_every == 0) {
        return "";
    }
    const std::uint64_t times = 1 + mix64(seed + 1) % 3;
    for (std::uint64_t i = 0; i < times; ++i) {
        Mutation(document, mix64(seed) + i).apply();
    }
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace alxsim::fuzz
