// SPDX-License-Identifier: Apache-2.0
#include "base/inputs/input_files.h"

#include "base/file_input.h"
#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace alxsim {
namespace {

constexpr const char* sha256_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(InputFiles, AreNotedWhoeverReadsThemWithWhatTheyHold)
{
    const TemporaryFolder folder;
    const std::string file = folder.write("abc", "abc");
    read_file(file, 10); // nobody watches
    InputWatch watch;
    read_file(file, 10);
    read_file(file, 10);
    EXPECT_EQ(watch.files(), (InputFiles{{file, sha256_of_abc, 3}}));
}

TEST(InputFiles, OfALargeFileAreDigestedWhole)
{
    const TemporaryFolder folder;
    const std::string file = folder.write("large", std::string(1000000, 'a'));
    InputWatch watch;
    note_input(file);
    // FIPS 180-4's example of a million letters.
    EXPECT_EQ(watch.files().at(0).sha256,
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(InputFiles, AreOfTheInnermostWatchAndTheThreadThatReads)
{
    const TemporaryFolder folder;
    const std::string file = folder.write("abc", "abc");
    InputWatch outer;
    InputFiles read;
    {
        InputWatch inner;
        read_file(file, 10);
        read = inner.files();
    }
    EXPECT_TRUE(outer.files().empty());
    note_inputs(read);
    EXPECT_EQ(outer.files(), read);
}

TEST(InputFiles, ThatCannotBeReadTwiceAreNeverUnchanged)
{
    const TemporaryFolder folder;
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const InputFiles inputs{input_file(pipe)};
    EXPECT_EQ(inputs[0].sha256, "");
    EXPECT_NE(in_words(*changed_input(inputs, inputs)).find("cannot be read twice"),
              std::string::npos);
}

TEST(InputFiles, HaveTheNamesOfTheStudy)
{
    const InputFiles read{{"/data/web/graph.txt", "a", 1}, {"/data/web.mtx", "b", 1}};
    EXPECT_EQ(as_named_in(read, "/data/web/s.json"),
              (InputFiles{{"/data/web.mtx", "b", 1}, {"graph.txt", "a", 1}}));
}

TEST(InputFiles, TellTheFirstThatChanged)
{
    const TemporaryFolder folder;
    const std::string study = folder.path("s.json");
    folder.write("a", "abc");
    folder.write("b", "abc");
    const InputFiles then{{"a", sha256_of_abc, 3}, {"b", sha256_of_abc, 3}};
    EXPECT_FALSE(changed_input(then, InputsNow().of(then, study)));
    folder.write("b", "abd");
    const auto changed = changed_input(then, InputsNow().of(then, study));
    ASSERT_TRUE(changed);
    EXPECT_EQ(in_words(*changed),
              "b held other bytes (sha256 ba7816bf8f01..., now a52d159f262b...)");
    EXPECT_EQ(in_words(*changed_input(then, {})), "a is not read any more");
}

TEST(InputFiles, OfTwoContentsAreNotUnited)
{
    const InputFiles some{{"a", "1", 1}, {"c", "3", 1}};
    EXPECT_EQ(united(some, {{"a", "1", 1}, {"b", "2", 1}}, "").size(), 3U);
    try {
        united(some, {{"c", "4", 1}}, "run it again");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "c: held two contents (sha256 3... and 4...); run it again");
    }
}

} // namespace
} // namespace alxsim
