// SPDX-License-Identifier: Apache-2.0
#include "report/compact/compact_points.h"

#include "base/input_error.h"
#include "fake_report.h"
#include "report/files.h"
#include "report/report_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace alxsim::report {
namespace {

std::vector<Json> read(const std::string& text)
{
    std::vector<Json> points;
    for_each_point(Json::parse(text), "file",
                   [&](Json point) { points.push_back(std::move(point)); });
    return points;
}

Report report_of_many(int points)
{
    std::vector<Point> all;
    for (int i = 0; i < points; ++i) {
        all.push_back(i % 3 == 0 ? with_exchange(1 + i) : fake_point(1 + i, 1.0 / (1 + i)));
    }
    return make_report(fake_parts(std::move(all)));
}

/// Any JSON: a law that no list of fields can break.
Json drawn(std::mt19937& random, int depth)
{
    switch (random() % (depth > 3 ? 5 : 7)) {
    case 0:
        return static_cast<int>(random() % 3);
    case 1:
        return static_cast<double>(random()) / 7;
    case 2:
        return "text " + std::to_string(random() % 2);
    case 3:
        return nullptr;
    case 4:
        return random() % 2 == 0 ? Json::object() : Json::array();
    case 5: {
        Json list = Json::array();
        for (unsigned i = random() % 3 + 1; i > 0; --i) {
            list.push_back(drawn(random, depth + 1));
        }
        return list;
    }
    default:
        Json object = Json::object();
        for (unsigned i = random() % 3 + 1; i > 0; --i) {
            object["field " + std::to_string(random() % 4)] = drawn(random, depth + 1);
        }
        return object;
    }
}

TEST(CompactPoints, AreReadAsTheyWere)
{
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        CompactPoints compact;
        std::vector<Json> points;
        for (int i = 0; i < 20; ++i) {
            Json point{{"kind", random() % 2}};
            point["rest"] = drawn(random, 2);
            compact.add(point);
            points.push_back(std::move(point));
        }
        EXPECT_EQ(read(compact.text()), points);
    }
}

TEST(CompactPoints, LeaveOutFieldsOnRequest)
{
    CompactPoints compact;
    compact.add({{"a", 1}, {"b", {{"c", 2}, {"d", {1, 2}}}}, {"e", "x"}});
    compact.add({{"a", 2}, {"b", {{"c", 2}, {"d", {1, 2}}}}, {"e", "y"}});
    const std::vector<Json> without = read(compact.text({"b"}));
    ASSERT_EQ(without.size(), 2U);
    EXPECT_EQ(without[1], Json({{"a", 2}, {"e", "y"}}));
}

TEST(CompactPoints, OfAReportAreTheReport)
{
    const Report report = report_of_many(30);
    const std::string full = json_text(report, Form::full);
    EXPECT_EQ(full, to_json(report).dump(2) + "\n") << "point by point or at once";
    const std::string compact = json_text(report, Form::compact);
    EXPECT_LT(compact.size(), full.size() / 3);
    const Report again = report_of(Json::parse(compact), "compact.json");
    EXPECT_EQ(to_json(again), to_json(report));
    EXPECT_EQ(files_of(again, Form::full, 2).csv, files_of(report, Form::compact, 1).csv);
}

TEST(CompactPoints, ThatDoNotFitTogetherAreRefusedWithTheirPlace)
{
    CompactPoints compact;
    compact.add({{"a", 1}, {"b", 5}});
    compact.add({{"a", 2}, {"b", 5}});
    const Json good = Json::parse(compact.text());
    const auto refusal = [&](const char* pointer, const Json& value) -> std::string {
        Json bad = good;
        bad.at(Json::json_pointer(pointer)) = value;
        try {
            for_each_point(Json::parse(bad.dump()), "file", [](const Json&) {});
            return "none";
        } catch (const InputError& error) {
            return error.what();
        }
    };
    using testing::HasSubstr;
    EXPECT_THAT(refusal("/runs/0", {7, 2}), HasSubstr("/points/runs/0: found [7,2]"));
    EXPECT_THAT(refusal("/runs/0/1", 1'000'000'000), HasSubstr("found more points in runs"));
    EXPECT_THAT(refusal("/runs", 3), HasSubstr("found no list 'runs'"));
    EXPECT_THAT(refusal("/shapes/0", 3), HasSubstr("/points/shapes/0: found no point"));
    EXPECT_THAT(refusal("/shapes/0/point/a", 2), HasSubstr("numbers of columns, below 2"));
    EXPECT_THAT(refusal("/shapes/0/columns/0", Json::object()), HasSubstr("found no value"));
    EXPECT_THAT(refusal("/shapes/0/columns/0/values", Json::array({1})),
                HasSubstr("found more points"));
    EXPECT_THAT(refusal("/shapes/0/columns/0/values", Json::array({1, 2, 3})),
                HasSubstr("found 3 points, of which runs have 2"));
    EXPECT_THAT(refusal("/shapes/0/columns/1", Json{{"values", {1, 2, 3}}}),
                HasSubstr("found columns of 2 and of 3 values"));
    const Json by_place{{"distinct", {1}}, {"at", {0, 1}}};
    EXPECT_THAT(refusal("/shapes/0/columns/0", by_place), HasSubstr("places in distinct, below 1"));
}

} // namespace
} // namespace alxsim::report
