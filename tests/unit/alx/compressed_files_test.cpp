// SPDX-License-Identifier: Apache-2.0
#include "alx/files/byte_source.h"
#include "data_files.h"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <lzma.h>
#include <zstd.h>

namespace alxsim::alx {
namespace {

std::string bzip2(const std::string& text)
{
    std::string bytes(text.size() + text.size() / 100 + 600, '\0');
    auto size = static_cast<unsigned>(bytes.size());
    BZ2_bzBuffToBuffCompress(bytes.data(), &size, const_cast<char*>(text.data()),
                             static_cast<unsigned>(text.size()), 9, 0, 0);
    return bytes.substr(0, size);
}

std::string xz(const std::string& text)
{
    std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
    std::size_t size = 0;
    EXPECT_EQ(lzma_easy_buffer_encode(
                  6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                  text.size(), reinterpret_cast<std::uint8_t*>(bytes.data()), &size, bytes.size()),
              LZMA_OK);
    return bytes.substr(0, size);
}

std::string zstd(const std::string& text)
{
    std::string bytes(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    bytes.resize(ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size()));
    ZSTD_freeCCtx(context);
    return bytes;
}

std::string gzip(const std::string& text)
{
    return compressed_as_named(text, "a.gz");
}

struct Form {
    std::string ending;
    std::string (*compress)(const std::string&);
};

std::ostream& operator<<(std::ostream& out, const Form& form)
{
    return out << form.ending;
}

class Compressed : public DataFiles, public testing::WithParamInterface<Form> {
protected:
    std::string member(const std::string& text) const { return GetParam().compress(text); }
    /// What reading a file of these bytes as an adjacency list ends with.
    std::string outcome(const std::string& bytes) const
    {
        return error_of({made_.write("members", bytes), "adjacency"});
    }
};

TEST_P(Compressed, IsKnownByContentAndItsEndingIsNoPartOfTheName)
{
    const std::string bytes = member("0\t2\n0\t1\n2\t0\n");
    const std::string path = made_.write("a.tsv" + GetParam().ending, bytes);
    EXPECT_EQ(format_of(path), "edges");
    EXPECT_EQ(rows_of(read_matrix({path})), (Rows{{1, 2}, {}, {0}}));
    EXPECT_EQ(rows_of(read_matrix({made_.write("b", bytes), "edges"})), (Rows{{1, 2}, {}, {0}}));
}

TEST_P(Compressed, OfSeveralMembersIsReadToItsEnd)
{
    const std::string bytes = member("0 1 2\n") + member("1 1 2\n") + member("2 1 2\n");
    EXPECT_EQ(rows_of(read_matrix({made_.write("members", bytes), "adjacency"})),
              (Rows{{1, 2}, {1, 2}, {1, 2}}));
    EXPECT_EQ(outcome(bytes + std::string(512, '\0')), "no error") << "filled up with zeros";
}

TEST_P(Compressed, ThatIsCutAnywhereIsSaidToBeTruncated)
{
    const std::string bytes = member("0 1 2\n1 0\n");
    for (std::size_t length = 11; length < bytes.size(); ++length) {
        EXPECT_THAT(outcome(bytes.substr(0, length)),
                    testing::HasSubstr(": the file is truncated or damaged ("))
            << length << " of " << bytes.size() << " bytes";
    }
}

TEST_P(Compressed, OfWhichALaterMemberIsDamagedIsRefused)
{
    for (const std::string& second : {std::string("more text\n"), member("1 2\n").substr(0, 8)}) {
        EXPECT_THAT(outcome(member("0 1 2\n") + second),
                    testing::HasSubstr("after line 0: the file is truncated or damaged ("));
    }
}

TEST_P(Compressed, WithAWrongByteIsNeverReadAsAnotherMatrix)
{
    const std::string text = "0 1 2\n1 0\n2 1\n";
    const std::string bytes = member(text);
    int refused = 0;
    for (std::size_t i = 10; i < bytes.size(); ++i) {
        std::string wrong = bytes;
        wrong[i] = static_cast<char>(wrong[i] ^ 0x10);
        if (outcome(wrong) != "no error") {
            ++refused;
        } else {
            EXPECT_EQ(rows_of(read_matrix({folder_ + "members", "adjacency"})),
                      (Rows{{1, 2}, {0}, {1}}))
                << "byte " << i;
        }
    }
    EXPECT_GT(refused, 8);
}

TEST_P(Compressed, ThatHoldsMuchMoreThanItsSizeIsRefused)
{
    const std::string bytes = member("1 1\n#" + std::string(std::size_t{66} << 20, '#'));
    EXPECT_THAT(error_of({made_.write("bomb", bytes), "edges"}),
                testing::HasSubstr("bytes of content in "));
    const ByteSource source(folder_ + "bomb");
    EXPECT_LE(source.most_content(), std::max<std::int64_t>(1 << 26, 256 * bytes.size()))
        << "what claims more need not be believed";
}

TEST_P(Compressed, HoldsNoMoreThanItsBoundOfContent)
{
    const std::string text(std::size_t{8} << 20, '#');
    const ByteSource source(made_.write("zeros", member(text)));
    EXPECT_GE(source.most_content(), static_cast<std::int64_t>(text.size()));
}

INSTANTIATE_TEST_SUITE_P(Forms, Compressed,
                         testing::Values(Form{".gz", gzip}, Form{".bz2", bzip2}, Form{".xz", xz},
                                         Form{".zst", zstd}),
                         [](const auto& form) { return form.param.ending.substr(1); });

} // namespace
} // namespace alxsim::alx
