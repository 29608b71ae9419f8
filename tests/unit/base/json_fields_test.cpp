// SPDX-License-Identifier: Apache-2.0
#include "base/json_fields.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

struct Wheel {
    int spokes = 0;
    std::optional<double> load;
};

template <class Fields>
void list_fields(Fields& fields, Wheel& wheel)
{
    fields("spokes", wheel.spokes);
    fields("load", wheel.load);
}

struct Cart {
    std::string name;
    std::vector<Wheel> wheels;
    Named<double> weights;
    std::optional<std::string> owner;
    std::optional<Wheel> spare; ///< its fields among the cart's
    Mean trips = std::int64_t{0};
    Settings changes;
    bool broken = false;
};

template <class Fields>
void list_fields(Fields& fields, Cart& cart)
{
    fields("name", cart.name);
    fields("wheels", cart.wheels);
    fields.unless_empty("weights", cart.weights);
    fields.nullable("owner", cart.owner);
    fields.inlined("spokes", cart.spare);
    fields("trips", cart.trips);
    fields("changes", cart.changes);
    fields.if_true("broken", cart.broken);
}

TEST(Fields, AreWrittenInTheirOrderAndReadBack)
{
    const Cart cart{"a",
                    {{8, {}}, {12, 2.5}},
                    {{"z", 1.0}, {"b", 2.0}},
                    {},
                    Wheel{6, 1.5},
                    std::int64_t{7},
                    {{"/x", 1}},
                    true};
    const Json json = json_of(cart);
    EXPECT_EQ(json.dump(), R"({"name":"a","wheels":[{"spokes":8},{"spokes":12,"load":2.5}],)"
                           R"("weights":{"z":1.0,"b":2.0},"owner":null,"spokes":6,"load":1.5,)"
                           R"("trips":7,"changes":{"/x":1},"broken":true})");
    EXPECT_EQ(json_of(value_of_json<Cart>(json)).dump(), json.dump());
}

TEST(Fields, ThatAreEmptyOrAbsentAreReadAsSuch)
{
    const Cart cart = value_of_json<Cart>(
        Json::parse(R"({"name": "b", "wheels": [], "owner": null, "trips": 0.5, "changes": {}})"));
    EXPECT_FALSE(cart.owner);
    EXPECT_FALSE(cart.spare);
    EXPECT_FALSE(cart.broken);
    EXPECT_TRUE(cart.weights.empty());
    EXPECT_EQ(as_double(cart.trips), 0.5);
}

TEST(Fields, ThatMustBeThereAreMissed)
{
    EXPECT_THROW(value_of_json<Wheel>(Json::parse(R"({"load": 1})")), InputError);
}

TEST(SettingsInADocument, MakeTheObjectsOnTheWay)
{
    Json document = Json::parse(R"({"machine": {"cores": 2}})");
    Settings{{"/machine/cores", 4}, {"/machine/overrides/a", "x2"}}.apply_to(document, "s.json");
    EXPECT_EQ(document, Json::parse(R"({"machine": {"cores": 4, "overrides": {"a": "x2"}}})"));
}

TEST(SettingsInADocument, ThatLeadThroughAValueAreRefused)
{
    Json document = Json::parse(R"({"machine": {"cores": 2}})");
    const Settings wrong{{"/machine/cores/x", 1}};
    EXPECT_THROW(wrong.apply_to(document, "s.json"), InputError);
}

TEST(SettingsOnTopOfOthers, ReplaceThemInTheirPlaces)
{
    Settings settings{{"/a", 1}, {"/b", 2}};
    settings.set(Settings{{"/a", 3}, {"/c", 4}});
    EXPECT_EQ(settings.to_json().dump(), R"({"/a":3,"/b":2,"/c":4})");
    EXPECT_TRUE(settings.erase("/b"));
    EXPECT_FALSE(settings.contains("/b"));
}

template <class T>
std::string refusal_as(const char* json)
{
    try {
        value_of_json<T>(Json::parse(json));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(WholeNumber, ThatItsTypeDoesNotHoldIsRefusedAndNotCut)
{
    for (const char* held : {"0", "-2147483648", "2147483647", "1e3"}) {
        EXPECT_EQ(refusal_as<int>(held), "") << held;
    }
    for (const char* other : {"2147483648", "4294967297", "-2147483649", "1e10", "0.5",
                              "18446744073709551615", "9223372036854775807"}) {
        EXPECT_NE(refusal_as<int>(other).find("allowed: whole numbers from -2147483648 to "
                                              "2147483647"),
                  std::string::npos)
            << other;
    }
    EXPECT_EQ(refusal_as<std::uint64_t>("18446744073709551615"), "");
    EXPECT_NE(refusal_as<std::uint64_t>("-1"), "");
    EXPECT_NE(refusal_as<std::int64_t>("9223372036854775808"), "");
    EXPECT_NE(refusal_as<std::int64_t>("1e19"), "");
}

TEST(WholeNumber, IsRefusedWithItsPlace)
{
    const std::string message = refusal_as<Cart>(
        R"({"name": "a", "wheels": [{"spokes": 8}, {"spokes": 4294967297}], "owner": null,
            "trips": 1, "changes": {}})");
    EXPECT_EQ(message.rfind("/wheels/1/spokes: found 4294967297", 0), 0U) << message;
}

} // namespace
} // namespace alxsim
