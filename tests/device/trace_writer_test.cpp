// SPDX-License-Identifier: Apache-2.0
#include "report/trace/trace_writer.h"

#include "base/input_error.h"
#include "report/resources.h"
#include "report/trace/gzip.h"

#include <gtest/gtest.h>

#include <array>
#include <zlib.h>

namespace alxsim::report {
namespace {

Json about()
{
    return Json::parse(R"({"tool": "alxsim", "title": "t", "machine": "m", "steps": "first",
        "first_step": 1, "last_step": 1, "begin_ps": 0, "end_ps": 1,
        "critical_path_ps": {"phases": {}, "shares": {}}})");
}

TraceSpan span_of(const std::string& name, std::int64_t begin, std::int64_t end)
{
    TraceSpan span;
    span.on = {1, 2};
    span.name = name;
    span.categories = "c";
    span.begin = Picoseconds(begin);
    span.end = Picoseconds(end);
    return span;
}

std::string_view schema()
{
    return resources().get("schema/trace.schema.json");
}

TEST(TraceWriter, WritesPicosecondsExactly)
{
    EXPECT_EQ(trace_time(Picoseconds(0)), "0.000000");
    EXPECT_EQ(trace_time(Picoseconds(1)), "0.000001");
    EXPECT_EQ(trace_time(Picoseconds(1'000'250)), "1.000250");
    EXPECT_EQ(trace_time(Picoseconds(9'223'372'036'854'775'807)), "9223372036854.775807");
}

TEST(TraceWriter, EscapesNames)
{
    TraceWriter writer(1 << 20);
    const std::string name = "a \"quoted\" \\ name\n\xc3\xa9";
    writer.span(span_of(name, 0, 1));
    writer.commit();
    EXPECT_EQ(Json::parse(writer.text(about())).at("traceEvents").at(0).at("name"), name);
}

TEST(TraceWriter, WritesAnEmptyTrace)
{
    TraceWriter writer(1 << 20);
    EXPECT_NO_THROW(validate_json(Json::parse(writer.text(about())), schema(), "trace"));
}

TEST(TraceWriter, ForgetsAPartThatIsTooLongAsAWhole)
{
    TraceWriter writer(20000);
    writer.span(span_of("small", 0, 1));
    EXPECT_TRUE(writer.commit());
    writer.span(span_of(std::string(10000, 'x'), 0, 1));
    EXPECT_FALSE(writer.commit());
    writer.span(span_of("small", 1, 2));
    EXPECT_TRUE(writer.commit());
    const std::string text = writer.text(about());
    EXPECT_LT(text.size(), 20000u);
    EXPECT_EQ(Json::parse(text).at("traceEvents").size(), 2u);
}

TEST(TraceWriter, KeepsAsManyEventsAsFit)
{
    TraceWriter writer(20000);
    for (int i = 0; i < 100; ++i) {
        writer.span(span_of("span", i, i + 1));
    }
    const std::int64_t forgotten = writer.commit_what_fits();
    EXPECT_GT(forgotten, 0);
    const Json trace = Json::parse(writer.text(about()));
    EXPECT_EQ(trace.at("traceEvents").size(), static_cast<std::size_t>(100 - forgotten));
}

/// What the schema is worth.
TEST(TraceSchema, RefusesWhatAViewerCannotRead)
{
    TraceWriter writer(1 << 20);
    writer.name_process(1, "p");
    writer.name_track({1, 2}, "t");
    writer.span(span_of("span", 0, 1));
    writer.arrow(0, "a", {1, 2}, Picoseconds(0), {1, 2}, Picoseconds(1));
    writer.counter(1, "c", "GB/s", Picoseconds(0), 1.5);
    writer.commit();
    const Json trace = Json::parse(writer.text(about()));
    EXPECT_NO_THROW(validate_json(trace, schema(), "trace"));
    for (std::size_t i = 0; i < trace.at("traceEvents").size(); ++i) {
        for (const char* const field : {"ph", "pid", "name"}) {
            Json damaged = trace;
            damaged.at("traceEvents").at(i).erase(field);
            EXPECT_THROW(validate_json(damaged, schema(), "trace"), InputError) << i << field;
        }
        Json damaged = trace;
        damaged.at("traceEvents").at(i)["ts"] = "soon";
        EXPECT_THROW(validate_json(damaged, schema(), "trace"), InputError) << i;
    }
}

TEST(Gzip, GivesTheTextBackAndTheSameBytesAgain)
{
    std::string text;
    for (int i = 0; i < 100000; ++i) {
        text += std::to_string(i);
    }
    const std::string packed = gzipped(text);
    EXPECT_LT(packed.size(), text.size());
    EXPECT_EQ(packed, gzipped(text));
    z_stream stream{};
    ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    std::string unpacked(text.size() + 1, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
    stream.avail_out = static_cast<uInt>(unpacked.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    unpacked.resize(stream.total_out);
    inflateEnd(&stream);
    EXPECT_EQ(unpacked, text);
}

} // namespace
} // namespace alxsim::report
