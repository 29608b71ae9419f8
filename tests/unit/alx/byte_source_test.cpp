// SPDX-License-Identifier: Apache-2.0
#include "data_files.h"

namespace alxsim::alx {
namespace {

class Gzip : public DataFiles {
protected:
    static std::string member(int row)
    {
        return compressed_as_named(std::to_string(row) + " 1 2\n", "a.gz");
    }
    /// What reading a file of these bytes ends with.
    std::string outcome(const std::string& bytes) const
    {
        return error_of({made_.write("members.gz", bytes), "adjacency"});
    }
};

TEST_F(Gzip, OfSeveralMembersIsReadToItsEnd)
{
    const std::string path = made_.write("members.gz", member(0) + member(1) + member(2));
    EXPECT_EQ(rows_of(read_matrix({path})), (Rows{{1, 2}, {1, 2}, {1, 2}}));
    EXPECT_EQ(outcome(member(0) + std::string(512, '\0')), "no error") << "filled up with zeros";
}

TEST_F(Gzip, OfWhichALaterMemberIsDamagedIsRefused)
{
    std::string no_magic = member(1);
    no_magic[0] = 'x';
    std::string no_method = member(1);
    no_method[2] = 9;
    for (const std::string& second : {no_magic, no_method, member(1).substr(0, 1),
                                      member(1).substr(0, 8), std::string("more text\n")}) {
        EXPECT_NE(
            outcome(member(0) + second).find("after line 0: the file is truncated or damaged"),
            std::string::npos)
            << outcome(member(0) + second);
    }
}

TEST_F(Gzip, OrTextHasNoByteZero)
{
    EXPECT_NE(error_of({"/dev/zero", "edges"}).find("/dev/zero: after line 0: found a byte 0"),
              std::string::npos);
    EXPECT_NE(error_of({"/dev/zero", "adjacency"}).find("found a byte 0"), std::string::npos);
}

} // namespace
} // namespace alxsim::alx
