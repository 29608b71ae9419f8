// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"

#include <gtest/gtest.h>

#include <tuple>

namespace alxsim {
namespace {

std::tuple<std::string, std::string, std::string> told(const InputError& error)
{
    return {error.file(), error.place(), error.problem()};
}

TEST(InputErrors, KeepWhatTheyWereMadeOf)
{
    const InputError error("study.json", "/machine/cores", "found 9; allowed: at least 16");
    EXPECT_EQ(told(error),
              std::tuple("study.json", "/machine/cores", "found 9; allowed: at least 16"));
    EXPECT_STREQ(error.what(), "study.json: /machine/cores: found 9; allowed: at least 16");
    EXPECT_EQ(told(InputError("no command")), std::tuple("", "", "no command"));
    const InputError more(error, " (in point 'cores 9')");
    EXPECT_EQ(more.place(), "/machine/cores");
    EXPECT_STREQ(more.what(),
                 "study.json: /machine/cores: found 9; allowed: at least 16 (in point 'cores 9')");
}

struct Told {
    const char* problem;
    const char* found;
    const char* allowed;
};

TEST(InputErrors, TellFoundAndAllowed)
{
    for (const Told& one : {
             Told{"found 9; allowed: at least 16", "9", "at least 16"},
             Told{"found 3 cores, allowed are at most 2", "3 cores", "at most 2"},
             Told{"unknown field 'x'; did you mean 'y'? (allowed: y, z (of a few))", "",
                  "y, z (of a few)"},
             Told{"found no workload; allowed is one kind: alx", "no workload", "one kind: alx"},
             Told{"is found nowhere", "nowhere", ""},
             Told{"cannot be read", "", ""},
             Told{"newfound 4", "", ""},
         }) {
        const InputError error(one.problem);
        EXPECT_EQ(error.found(), one.found) << one.problem;
        EXPECT_EQ(error.allowed(), one.allowed) << one.problem;
    }
}

TEST(InputErrors, AreReadFromMessagesOfOtherProcesses)
{
    for (const InputError& error :
         {InputError("a b.json", "/machine/chip", "unknown chip: none"),
          InputError("a b.json", "", "is missing"), InputError("is no study")}) {
        EXPECT_EQ(told(input_error_of(error.what(), "a b.json")), told(error));
    }
    EXPECT_EQ(told(input_error_of("other.json: /x: bad", "a.json")),
              std::tuple("", "", "other.json: /x: bad"));
}

} // namespace
} // namespace alxsim
