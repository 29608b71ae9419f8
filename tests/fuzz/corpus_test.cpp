// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_file.h"
#include "alx/files/byte_source.h"
#include "base/input_error.h"
#include "tests/fuzz/json_mutation.h"
#include "tests/fuzz/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace alxsim::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path corpus = fs::path(ALXSIM_SOURCE_DIR) / "tests/fuzz/corpus";

std::string content_of(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsReadOrRefusedWithAPlace)
{
    std::vector<fs::path> inputs(fs::directory_iterator(corpus / GetParam()), {});
    if (GetParam() == "preset") { // too long to stand in the corpus again
        inputs.emplace_back(ALXSIM_SOURCE_DIR "/topologies/presets/tpu_v5e.json");
    }
    std::size_t refused = 0;
    for (const fs::path& input : inputs) {
        EXPECT_NO_THROW(refused += replay(GetParam(), content_of(input)) == Outcome::refused)
            << input.filename();
    }
    EXPECT_GT(refused, 0U);
    EXPECT_LT(refused, inputs.size()); // a reader that refuses all reads nothing
}

INSTANTIATE_TEST_SUITE_P(Readers, Corpus, testing::ValuesIn(targets()),
                         [](const auto& target) { return target.param; });

/// Mutations of each document, some dozens, or as many as ALXSIM_MUTATIONS says.
class MutatedDocument : public testing::TestWithParam<std::string> {};

TEST_P(MutatedDocument, IsReadOrRefused)
{
    const char* const wanted = std::getenv("ALXSIM_MUTATIONS");
    const int mutations = wanted == nullptr ? 40 : std::atoi(wanted);
    for (const auto& entry : fs::directory_iterator(corpus / GetParam())) {
        std::string text = content_of(entry.path());
        for (int i = 0; i < mutations; ++i) {
            const std::string mutated = mutated_json(text, static_cast<std::uint64_t>(i));
            if (mutated.empty()) {
                continue;
            }
            EXPECT_NO_THROW(replay(GetParam(), mutated)) << mutated;
            text = i % 4 == 0 ? content_of(entry.path()) : mutated;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Documents, MutatedDocument, testing::ValuesIn(documents()),
                         [](const auto& target) { return target.param; });

/// What replay() says of an input too large to be committed.
std::string finding_in(const std::string& target, const std::string& bytes)
{
    try {
        return replay(target, bytes) == Outcome::refused ? "refused" : "read";
    } catch (const std::exception& error) {
        return error.what();
    }
}

TEST(Bomb, IsRefusedBeforeItFillsTheMemory)
{
    const auto compressed = [](std::size_t size) {
        return alx::compressed_as_named("1 1\n#" + std::string(size, '#'), "comment.gz");
    };
    EXPECT_EQ(finding_in("edges", compressed(1 << 20)), "read");
    EXPECT_EQ(finding_in("edges", compressed(std::size_t{66} << 20)), "refused");
}

TEST(LongInput, OfOpStopsWithinOneTransferOfTheHbm)
{
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(finding_in("op", R"({"op": {"work": "hbm_stream", "bytes_read": 1e11},
                                   "options": ["--hbm", "banks"]})"),
              "read");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(LongHeader, OfAnArrayIsRefused)
{
    const std::string digits(60000, '1');
    std::string head("\x93NUMPY\x01\x00", 8);
    head.push_back(static_cast<char>((digits.size() + 50) & 0xff));
    head.push_back(static_cast<char>((digits.size() + 50) >> 8));
    EXPECT_EQ(finding_in("npy", head + "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                                    digits + std::string(50, ' ')),
              "refused");
}

TEST(Replay, TellsPlacesFromOtherBeginnings)
{
    for (const char* place :
         {"line 3: x", "after line 0: x", "record 1, byte 0: x", "bit 7: x", "node 2, bit 7: x",
          "'shape': x", "/values/clock_hz: x", "top level: x", "line 1, column 2: x"}) {
        EXPECT_TRUE(names_a_place(place)) << place;
    }
    for (const char* other : {"holds no rows", "", "line: x", "found 3 rows: line 3: x"}) {
        EXPECT_FALSE(names_a_place(other)) << other;
    }
}

} // namespace
} // namespace alxsim::fuzz
