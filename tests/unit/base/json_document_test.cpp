// SPDX-License-Identifier: Apache-2.0
#include "base/file_input.h"
#include "base/input_error.h"
#include "base/json_document.h"
#include "base/printable.h"
#include "base/text/text_table.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

const char* const schema = R"({
    "type": "object", "required": ["machine"], "additionalProperties": false,
    "properties": {
        "machine": {"type": "object", "additionalProperties": false, "properties": {
            "cores": {"type": "integer", "minimum": 1},
            "chip": {"type": "string"}}},
        "fidelity": {"enum": ["detailed", "analytic"]},
        "batch": {"oneOf": [{"const": "auto"}, {"type": "object", "additionalProperties": false,
            "properties": {"lines": {"type": "integer"}}}]}}})";

std::string message_for(const std::string& text)
{
    try {
        validate_json(parse_json(text, "s.json"), schema, "s.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// {"k0": 0, "k1": 1, ...}, then one of them again.
std::string object_of_fields(int count, int again)
{
    std::string text = "{";
    for (int i = 0; i < count; ++i) {
        text += "\"k" + std::to_string(i) + "\": " + std::to_string(i) + ", ";
    }
    return text + "\"k" + std::to_string(again) + "\": \"again\"}";
}

TEST(JsonDocument, OfOurOwnWithOneNameTwiceKeepsTheFirstPlaceAndTheLastValue)
{
    for (const int count : {1, 3, 64, 65, 1000}) { // few are looked for one by one, many by hash
        const std::string text = object_of_fields(count, count / 2);
        const Json document = parse_written_json(text);
        EXPECT_EQ(document.size(), static_cast<std::size_t>(count));
        EXPECT_THROW(parse_json(text, "s.json"), InputError);
        EXPECT_EQ(document.at("k" + std::to_string(count / 2)), "again");
        EXPECT_EQ(document.dump(), Json::parse(text).dump()) << "as the library has it";
    }
}

TEST(JsonDocument, MakesTheDocumentThatTheLibraryMakes)
{
    for (const std::string text :
         {"7", "-7", "18446744073709551615", "1.5e3", "null", "true", "\"a\\u00e4\"", "[]", "{}",
          "[[], {}, [1, [2, {\"a\": [3]}], 4]]",
          "{\"a\": {\"b\": {}, \"c\": [1, {\"d\": null}]}, \"e\": \"\", \"\": [[]]}"}) {
        EXPECT_EQ(parse_json(text, "s.json").dump(), Json::parse(text).dump());
        EXPECT_EQ(parse_written_json(text), Json::parse(text));
        EXPECT_EQ(parse_json(text, "s.json").type(), Json::parse(text).type());
    }
    EXPECT_THROW(parse_written_json("[1,"), Json::exception);
    EXPECT_THROW(parse_written_json("[1e999]"), Json::exception);
}

TEST(JsonDocument, AcceptsAValidDocumentWithComments)
{
    EXPECT_EQ(message_for("{\"machine\": {\"cores\": 8} /* eight */}"), "");
}

TEST(JsonDocument, TakesAWholeNumberHoweverItIsWritten)
{
    Json whole;
    const auto read = [&whole](const char* text) -> const Json& {
        return valid_json(parse_json(text, "s.json"), schema, "s.json", whole);
    };
    EXPECT_EQ(read(R"({"machine": {"cores": 6.4e1}})").at("machine").at("cores").dump(), "64");
    EXPECT_THROW(read(R"({"machine": {"cores": 6.45e1}})"), InputError);
    EXPECT_THROW(read(R"({"machine": {"cores": 1e300}})"), InputError);
    EXPECT_THROW(read(R"({"machine": {"cores": 6.4e1, "chip": 3.0}})"), InputError);
}

TEST(JsonDocument, TakesNumbersBeyondThoseWithASignForWhatTheyAre)
{
    const auto read = [](const char* text) {
        validate_json(parse_json(text, "s.json"),
                      R"({"properties": {"reg": {"type": "number", "minimum": 0},
                                         "few": {"type": "number", "maximum": 9}}})",
                      "s.json");
    };
    EXPECT_NO_THROW(read(R"({"reg": 9223372036854775808})"));
    EXPECT_NO_THROW(read(R"({"reg": 18446744073709551615})"));
    EXPECT_THROW(read(R"({"few": 18446744073709551615})"), InputError);
    EXPECT_THROW(read(R"({"reg": -9223372036854775808})"), InputError);
}

TEST(JsonDocument, ThatObeysIsTakenAsItIs)
{
    Json whole;
    const Json document = parse_json(R"({"machine": {"cores": 8}})", "s.json");
    EXPECT_EQ(&valid_json(document, schema, "s.json", whole), &document);
}

TEST(NearestName, OfAPartIsTheNameThatHoldsIt)
{
    EXPECT_EQ(nearest_name("v4", {"tpu_v2", "tpu_v3", "tpu_v4", "tpu_v5e"}), "tpu_v4");
    EXPECT_EQ(nearest_name("v5e", {"tpu_v5p", "tpu_v5e"}), "tpu_v5e");
    EXPECT_EQ(nearest_name("v9", {"tpu_v2", "tpu_v3"}), "");
}

TEST(JsonDocument, AMisspeltFieldIsToldTheNearestRightOne)
{
    const std::string message = message_for(R"({"machine": {"coers": 8}})");
    EXPECT_NE(message.find("s.json: /machine: unknown field 'coers'; did you mean 'cores'?"),
              std::string::npos)
        << message;
}

TEST(JsonDocument, AWrongTypeIsNamedWithWhatIsAllowed)
{
    EXPECT_EQ(message_for(R"({"machine": {"cores": "eight"}})"),
              "s.json: /machine/cores: found string \"eight\"; allowed: integer >= 1");
    EXPECT_EQ(message_for(R"({"machine": {"cores": 0}})"),
              "s.json: /machine/cores: found number 0; allowed: integer >= 1");
    EXPECT_EQ(
        message_for(R"({"machine": {}, "fidelity": "exact"})"),
        "s.json: /fidelity: found string \"exact\"; allowed: one of \"detailed\", \"analytic\"");
}

TEST(JsonDocument, AMisspeltTextIsToldTheNearestThatIsAllowed)
{
    for (const char* const spelt : {"Detailed", "detaild", "detail", "de-tailed"}) {
        EXPECT_EQ(message_for(std::string(R"({"machine": {}, "fidelity": ")") + spelt + "\"}"),
                  std::string("s.json: /fidelity: found string \"") + spelt +
                      "\"; did you mean 'detailed'?; allowed: one of \"detailed\", "
                      "\"analytic\"");
    }
}

TEST(JsonDocument, AMissingFieldIsNamed)
{
    EXPECT_EQ(message_for("{}"), "s.json: top level: missing field 'machine'");
}

TEST(JsonDocument, AnUnknownFieldInsideAnAlternativeIsNamed)
{
    const std::string message = message_for(R"({"machine": {}, "batch": {"line": 3}})");
    EXPECT_NE(message.find("/batch: unknown field 'line'; did you mean 'lines'?"),
              std::string::npos)
        << message;
}

TEST(JsonDocument, AMalformedDocumentIsToldLineAndColumn)
{
    try {
        parse_json("{\n  \"machine\": ,\n}", "s.json");
        FAIL() << "malformed JSON was accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("s.json: line 2, column 14"), std::string::npos)
            << error.what();
    }
}

TEST(JsonDocument, ANumberThatNoDoubleHoldsIsToldLineAndColumn)
{
    const std::string message = message_for("{\n  \"machine\": {\"cores\": 1e999}\n}");
    EXPECT_NE(message.find("s.json: line 2, column 24"), std::string::npos) << message;
    EXPECT_NE(message.find("found 1e999; allowed: numbers up to 1.8e308"), std::string::npos)
        << message;
}

std::string refusal_of(const std::string& text)
{
    try {
        parse_json(text, "s.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Nesting, IsRefusedBeyond256LevelsWithItsPlace)
{
    EXPECT_EQ(refusal_of(std::string(256, '[') + std::string(256, ']')), "");
    EXPECT_EQ(refusal_of("[\n" + std::string(100000, '[')),
              "s.json: line 2, column 256: is nested deeper than 256 objects and lists, the most "
              "allowed");
    EXPECT_THROW(parse_json_or_string(std::string(100000, '{'), "--set /x"), InputError);
}

TEST(Nesting, IsNotWhatStandsInStringsAndComments)
{
    const std::string brackets(1000, '[');
    EXPECT_EQ(refusal_of("[\"" + brackets + "\\\"" + brackets + "\" /*" + brackets + "*/ ] //" +
                         brackets),
              "");
}

TEST(RepeatedField, IsRefusedWithBothPlaces)
{
    EXPECT_EQ(refusal_of("{\"machine\": {\"cores\": 64,\n  \"cores\" /* again */ : 8}}"),
              "s.json: line 2, column 3: \"cores\" stands twice in its object, first at line 1, "
              "column 14");
    std::string many = "{\"a\": 1";
    for (int i = 0; i < 100; ++i) {
        many += ", \"f" + std::to_string(i) + "\": 0";
    }
    EXPECT_EQ(refusal_of(many + ", \"a\": 2}").substr(0, 22), "s.json: line 1, column");
    EXPECT_NE(refusal_of(R"({"a": 1, "\u0061": 2})"), "");
    EXPECT_THROW(parse_json_or_string(R"({"a": 1, "a": 2})", "--set /x"), InputError);
}

TEST(RepeatedField, IsNoneInAnotherObjectOrInAValue)
{
    EXPECT_EQ(refusal_of(R"([{"a": "a", "b": {"a": 1}}, {"a": "a"}])"), "");
}

TEST(ValueOfTheCommandLine, IsJsonOrAString)
{
    EXPECT_EQ(parse_json_or_string("[1, 2]", "x"), Json({1, 2}));
    EXPECT_EQ(parse_json_or_string("8x16", "x"), Json("8x16"));
}

TEST(JsonFile, WithoutEndIsRefused)
{
    EXPECT_THROW(read_file("/dev/zero", 1000), InputError);
    EXPECT_EQ(read_file("/dev/null", 1000), "");
    EXPECT_THROW(load_json("/dev/null"), InputError);
    EXPECT_THROW(load_json("/"), InputError);
}

TEST(Error, IsPrintableWhateverAFileIsCalled)
{
    EXPECT_STREQ(InputError("a\x1b[31m\xff.json", "/x", "found \xc2\x9b and \xc3\xa9").what(),
                 "a\\x1b[31m\\xff.json: /x: found \\xc2\\x9b and \xc3\xa9");
}

TEST(ControlCharacters, InJsonAreRefusedBeforeATerminalGetsThem)
{
    EXPECT_EQ(refusal_of(R"({"a": [{"b": "red \u001b[31m"}]})"),
              "s.json: /a/0/b: found control characters in 'red \\x1b[31m', which a terminal would "
              "obey; allowed is text");
    EXPECT_NE(refusal_of(R"({"a\u0007": 1})"), "");
    EXPECT_NE(refusal_of(R"(["\u009b1m"])"), "");
    EXPECT_EQ(refusal_of(R"(["two\nlines\tand \u00e9"])"), "");
    EXPECT_THROW(parse_json_or_string("\x1b[31m", "--set /study"), InputError);
}

TEST(TextTable, HasALineForEachRow)
{
    EXPECT_EQ(text_table({{"a\nb", "c"}, {"d", "e"}}, {false, true}), "a b  c\nd    e\n");
}

TEST(Utf8, IsTold)
{
    for (const char* text : {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
        EXPECT_TRUE(is_utf8(text)) << text;
    }
    for (const char* text : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
        EXPECT_FALSE(is_utf8(text)) << printable(text);
    }
}

} // namespace
} // namespace alxsim
