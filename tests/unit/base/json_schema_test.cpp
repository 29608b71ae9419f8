// SPDX-License-Identifier: Apache-2.0
#include "base/schema/json_schema.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace alxsim {
namespace {

struct Roller {
    double spin_per_second = 0;
    std::optional<std::string> colour;
};

template <class Fields>
void list_fields(Fields& fields, Roller& roller)
{
    fields("spin_per_second", roller.spin_per_second, "As it rolls.", limits::amount);
    fields("colour", roller.colour, limits::one_of("red|blue"));
}

struct Crew {
    std::int64_t heads = 0;
    std::vector<std::int64_t> ages;
};

template <class Fields>
void list_fields(Fields& fields, Crew& crew)
{
    fields("heads", crew.heads, limits::at_least(1));
    fields("ages", crew.ages, limits::and_not_empty(limits::amount));
}

struct Waggon {
    std::vector<Roller> wheels;
    Named<double> loads;
    bool old = false;
    std::optional<double> price;
    std::uint32_t doors = 0;
    std::optional<Crew> crew;
    Json papers;
};

template <class Fields>
void list_fields(Fields& fields, Waggon& cart)
{
    fields("wheels", cart.wheels, "Front first.");
    fields("loads", cart.loads, limits::share_of_one);
    fields.if_true("old", cart.old);
    fields.nullable("price", cart.price, limits::above(0));
    fields.newer("doors", cart.doors);
    fields.inlined("heads", cart.crew);
    fields("papers", cart.papers, limits::any_object);
}

const char* const schema_of_waggons = R"({
    "type": "object", "additionalProperties": false,
    "required": ["wheels", "loads", "price", "papers"],
    "properties": {
        "wheels": {"description": "Front first.", "type": "array", "items": {
            "type": "object", "additionalProperties": false, "required": ["spin_per_second"],
            "properties": {
                "spin_per_second": {"description": "As it rolls.", "type": "number", "minimum": 0},
                "colour": {"type": "string", "enum": ["red", "blue"]}}}},
        "loads": {"type": "object",
                  "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}},
        "old": {"const": true},
        "price": {"type": ["number", "null"], "exclusiveMinimum": 0},
        "doors": {"type": "integer", "minimum": 0},
        "papers": {"type": "object"},
        "heads": {"type": "integer", "minimum": 1},
        "ages": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}}}})";

TEST(SchemaOfAType, HasItsFieldsWithTheirWordsAndLimits)
{
    EXPECT_EQ(json_schema::of_type<Waggon>({}).dump(1), Json::parse(schema_of_waggons).dump(1));
}

Waggon some_waggon()
{
    Waggon cart;
    cart.wheels = {{1.5, "red"}, {2, {}}};
    cart.loads = {{"hay", 0.25}};
    cart.old = true;
    cart.crew = Crew{2, {31, 40}};
    cart.papers = {{"number", 7}};
    return cart;
}

TEST(SchemaOfAType, AllowsWhatIsWritten)
{
    const std::string obeyed = json_schema::of_type<Waggon>({}).dump();
    EXPECT_NO_THROW(validate_json(json_of(some_waggon()), obeyed, "cart.json"));
    Waggon bare = some_waggon();
    bare.crew.reset();
    bare.price = 3;
    EXPECT_NO_THROW(validate_json(json_of(bare), obeyed, "cart.json"));
}

TEST(SchemaOfAType, RefusesWhatIsBeyondItsLimits)
{
    const std::string obeyed = json_schema::of_type<Waggon>({}).dump();
    const auto refuses = [&](const std::function<void(Json&)>& damage) {
        Json json = json_of(some_waggon());
        damage(json);
        EXPECT_THROW(validate_json(json, obeyed, "cart.json"), InputError) << json.dump();
    };
    refuses([](Json& cart) { cart["wheels"][0]["colour"] = "green"; });
    refuses([](Json& cart) { cart["wheels"][1]["spin_per_second"] = -1; });
    refuses([](Json& cart) { cart["loads"]["hay"] = 1.5; });
    refuses([](Json& cart) { cart["price"] = 0; });
    refuses([](Json& cart) { cart["ages"] = Json::array(); });
    refuses([](Json& cart) { cart.erase("papers"); });
    refuses([](Json& cart) { cart["wheel"] = 1; });
}

enum class Gauge { narrow, broad };

constexpr std::array<ValueName<Gauge>, 2> value_names(Gauge /*any*/)
{
    return {{{"narrow", Gauge::narrow}, {"broad", Gauge::broad}}};
}

std::vector<std::string> stations()
{
    return {"Ulm", "Bonn"};
}

struct Trip {
    Gauge gauge = Gauge::broad;
    double speed = 2;
    std::vector<std::string> tickets;
    std::optional<std::string> to;
};

} // namespace

template <>
struct json_fields::Form<Gauge> : NamedForm<Gauge> {
};

namespace {

template <class Fields>
void list_fields(Fields& fields, Trip& trip)
{
    fields.newer("gauge", trip.gauge, "Of its rails.");
    fields.newer("speed", trip.speed, limits::and_below(limits::above(0), 9.5));
    fields.unless_empty("tickets", trip.tickets,
                        limits::and_length(limits::one_of("child|adult"), 2, 4));
    fields("to", trip.to, limits::one_of(stations));
}

const char* const schema_of_trips = R"({
    "type": "object", "additionalProperties": false,
    "properties": {
        "gauge": {"description": "Of its rails.", "type": "string", "enum": ["narrow", "broad"],
                  "default": "broad"},
        "speed": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5, "default": 2},
        "tickets": {"type": "array", "minItems": 2, "maxItems": 4,
                    "items": {"type": "string", "enum": ["child", "adult"]}},
        "to": {"type": "string", "enum": ["Ulm", "Bonn"]}}})";

TEST(SchemaOfAType, TellsDefaultsOfWhatIsRead)
{
    EXPECT_EQ(json_schema::of_type<Trip>({}, json_schema::Use::read).dump(1),
              Json::parse(schema_of_trips).dump(1));
    EXPECT_EQ(json_schema::of_type<Trip>({}).dump().find("default"), std::string::npos);
}

TEST(SchemaOfAType, GivesValuesTheirNames)
{
    EXPECT_EQ(value_of_json<Trip>({{"gauge", "narrow"}}).gauge, Gauge::narrow);
    EXPECT_EQ(value_of_json<Trip>(Json::object()).gauge, Gauge::broad);
    EXPECT_EQ(json_of(Trip()).at("gauge"), "broad");
    try {
        value_of_json<Trip>({{"gauge", "wide"}});
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()), "/gauge: found \"wide\"; allowed: narrow | broad");
    }
}

TEST(SchemaOfAType, OpenToNewFieldsIsOpenAllTheWayDown)
{
    const Json obeyed = json_schema::open_to_new_fields(json_schema::of_type<Waggon>({}));
    Json json = json_of(some_waggon());
    json["bell"] = true;
    json["wheels"][0]["spokes"] = 12;
    EXPECT_NO_THROW(validate_json(json, obeyed.dump(), "cart.json"));
    json["loads"]["hay"] = "much"; // of a field that is known
    EXPECT_THROW(validate_json(json, obeyed.dump(), "cart.json"), InputError);
}

} // namespace
} // namespace alxsim
