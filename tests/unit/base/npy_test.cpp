// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"

#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim {
namespace {

/// A file that is there while this lives.
class File {
public:
    explicit File(const std::string& bytes = "") : path(folder_.write("matrix.npy", bytes)) {}

private:
    const TemporaryFolder folder_;

public:
    const std::string path;
};

std::string with_header(const std::string& header, const std::string& numbers)
{
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    return bytes + header + numbers;
}

std::string problem_of(const std::string& bytes)
{
    const File file(bytes);
    try {
        read_npy(file.path);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Npy, WhatIsWrittenIsReadAgain)
{
    const NpyMatrix matrix{2, 3, {1, -2.5, 0.1, 4, 5, 6}};
    const File file;
    write_npy(file.path, matrix, NpyNumber::f8);
    EXPECT_EQ(read_npy(file.path).values, matrix.values);
    EXPECT_EQ(std::filesystem::file_size(file.path), 128 + 6 * 8U);
    write_npy(file.path, matrix, NpyNumber::f4);
    const NpyMatrix single = read_npy(file.path);
    EXPECT_EQ(single.rows, 2);
    EXPECT_EQ(single.columns, 3);
    EXPECT_EQ(single.values[2], static_cast<double>(0.1F));
}

TEST(Npy, ReadsFieldsInAnyOrder)
{
    const File file(
        with_header("{\"x\": 1, 'shape': (1, 2), 'fortran_order': False, 'descr': '<f4', }",
                    std::string(8, '\0')));
    EXPECT_EQ(read_npy(file.path).values, (std::vector<double>{0, 0}));
}

TEST(Npy, RefusesWhatItCannotRead)
{
    EXPECT_THAT(problem_of("hello"), testing::HasSubstr("is no NumPy file"));
    const auto header = [](const char* type, const char* order, const char* shape) {
        return with_header(std::string("{'descr': ") + type + ", 'fortran_order': " + order +
                               ", 'shape': " + shape + "}",
                           std::string(8, '\0'));
    };
    EXPECT_THAT(problem_of(header("'<i4'", "False", "(1, 2)")), testing::HasSubstr("found '<i4'"));
    EXPECT_THAT(problem_of(header("'<f4'", "True", "(1, 2)")), testing::HasSubstr("found True"));
    EXPECT_THAT(problem_of(header("'<f4'", "False", "(2,)")), testing::HasSubstr("found (2,)"));
    EXPECT_THAT(problem_of(header("'<f4'", "False", "(3, 2)")),
                testing::HasSubstr("found 8 bytes of numbers"));
}

} // namespace
} // namespace alxsim
