// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"

#include "base/file_output.h"
#include "base/input_error.h"
#include "base/inputs/input_files.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <regex>

namespace alxsim {
namespace {

const std::string magic = "\x93NUMPY";
/// NumPy's own default (numpy.lib.format, max_header_size). Regular expressions recurse over it.
constexpr std::size_t longest_header = 10000;
constexpr std::size_t longest_shown = 40; ///< of what is found
constexpr std::size_t block_numbers = 1 << 16;
constexpr std::size_t alignment = 64; ///< of the numbers, as NumPy writes them

/// Where the header's text is.
struct Header {
    std::string text;
    std::size_t end = 0; ///< where the numbers begin
};

/// The next bytes, fewer only at the end of the file.
std::string next_bytes(std::istream& file, std::size_t count)
{
    std::string bytes(count, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

Header header_of(std::istream& file, const std::string& path)
{
    std::string bytes = next_bytes(file, magic.size() + 4);
    if (bytes.compare(0, magic.size(), magic) != 0 || bytes.size() < magic.size() + 4) {
        throw InputError(path, "byte 0",
                         "is no NumPy file (.npy): it does not begin with \\x93NUMPY");
    }
    const int version = static_cast<unsigned char>(bytes[magic.size()]);
    if (version < 1 || version > 3) {
        throw InputError(path, "byte " + std::to_string(magic.size()),
                         "found format version " + std::to_string(version) +
                             ", allowed are 1, 2 and 3");
    }
    const std::size_t begin = magic.size() + 2;
    if (version > 1) {
        bytes += next_bytes(file, 2); // of the length, which has four bytes then
    }
    std::size_t length = 0;
    for (std::size_t i = begin; i < bytes.size(); ++i) {
        length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]))
                  << (8 * (i - begin));
    }
    if (length > longest_header) {
        throw InputError(path, "byte " + std::to_string(begin),
                         "found a header of " + std::to_string(length) +
                             " bytes, allowed are at most " + std::to_string(longest_header));
    }
    const std::string text = next_bytes(file, length);
    if (text.size() < length) {
        throw InputError(path, "byte " + std::to_string(bytes.size() + text.size()),
                         "ends inside its header");
    }
    return {text, bytes.size() + length};
}

/// The value of a field of the header, a Python dictionary, as matched by `pattern`.
std::smatch field_of(const std::string& header, const std::string& name, const std::string& pattern,
                     const std::string& allowed, const std::string& path)
{
    std::smatch match;
    if (!std::regex_search(header, match, std::regex("'" + name + "'\\s*:\\s*" + pattern))) {
        std::smatch found;
        // Printable, for the message.
        const std::regex any("'" + name + "'\\s*:\\s*('[ -&(-~]*'|\\([ -(*-~]*\\)|\\w+)");
        throw InputError(path, "'" + name + "'",
                         "found " +
                             (std::regex_search(header, found, any)
                                  ? found[1].str().substr(0, longest_shown)
                                  : "nothing that could be shown") +
                             ", allowed is " + allowed);
    }
    return match;
}

std::int64_t size_of(const std::string& digits, const std::string& path)
{
    if (digits.size() > 15) {
        throw InputError(path, "'shape'",
                         "found " + digits.substr(0, longest_shown) + ", which is too large");
    }
    return std::stoll(digits);
}

/// Appends the file's numbers, and stops behind the first that is too many. Bytes read.
template <class Number>
std::size_t read_numbers(std::istream& file, std::size_t wanted, std::vector<double>& values)
{
    std::size_t bytes_read = 0;
    std::vector<Number> block(block_numbers);
    while (file && values.size() <= wanted) {
        file.read(reinterpret_cast<char*>(block.data()),
                  static_cast<std::streamsize>(block.size() * sizeof(Number)));
        const auto got = static_cast<std::size_t>(file.gcount());
        const auto whole = static_cast<std::ptrdiff_t>(got / sizeof(Number));
        values.insert(values.end(), block.begin(), block.begin() + whole);
        bytes_read += got;
    }
    return bytes_read;
}

template <class Number>
std::string numbers_as_bytes(const std::vector<double>& values)
{
    std::string bytes(values.size() * sizeof(Number), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto number = static_cast<Number>(values[i]);
        std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
    return bytes;
}

/// Throws InputError for a shape that no file has: sizes that each are allowed may overflow in
/// their product.
std::size_t bytes_asked_for(const std::vector<std::int64_t>& shape, const std::string& type,
                            const std::string& path)
{
    double without_zeros = 1;
    for (const std::int64_t size : shape) {
        without_zeros *= size > 0 ? static_cast<double>(size) : 1.0;
    }
    if (without_zeros >= static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 8) {
        throw InputError(path, "'shape'",
                         "found " + npy_shape_text(shape) + ", which is too large");
    }
    const std::int64_t numbers =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    return static_cast<std::size_t>(numbers) * (type == "f4" ? sizeof(float) : sizeof(double));
}

/// Reads a file whose shape matches `pattern`, a group for each dimension.
NpyMatrix read_dimensions(const std::string& path, const std::string& pattern,
                          const std::string& allowed)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw InputError(path, "", "cannot be opened for reading");
    }
    note_input(path);
    const Header header = header_of(file, path);
    const std::string type =
        field_of(header.text, "descr", "'<(f[48])'", "'<f4' or '<f8'", path)[1];
    field_of(header.text, "fortran_order", "False", "False (C order)", path);
    const std::smatch sizes = field_of(header.text, "shape", pattern, allowed, path);
    NpyMatrix matrix;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        if (sizes[i].matched) {
            matrix.shape.push_back(size_of(sizes[i], path));
        }
    }
    matrix.number = type == "f4" ? NpyNumber::f4 : NpyNumber::f8;
    const std::size_t asked = bytes_asked_for(matrix.shape, type, path);
    const auto check = [&](std::size_t found) {
        if (found != asked) {
            throw InputError(path, "byte " + std::to_string(header.end),
                             "found " + std::to_string(found) +
                                 " bytes of numbers, but the shape " +
                                 npy_shape_text(matrix.shape) + " of " + type + " asks for " +
                                 std::to_string(asked));
        }
    };
    std::error_code not_regular; // a pipe tells its size in the end
    const std::uintmax_t size = std::filesystem::file_size(path, not_regular);
    check(not_regular ? asked : size - header.end);
    matrix.columns = matrix.shape.back();
    matrix.rows = std::accumulate(matrix.shape.begin(), matrix.shape.end() - 1, std::int64_t{1},
                                  std::multiplies<>());
    const auto wanted = static_cast<std::size_t>(matrix.rows * matrix.columns);
    matrix.values.reserve(not_regular ? 0 : wanted);
    check(matrix.number == NpyNumber::f4 ? read_numbers<float>(file, wanted, matrix.values)
                                         : read_numbers<double>(file, wanted, matrix.values));
    return matrix;
}

} // namespace

std::string npy_shape_text(const std::vector<std::int64_t>& shape)
{
    std::string text;
    for (const std::int64_t size : shape) {
        text += (text.empty() ? "" : ", ") + std::to_string(size);
    }
    return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

NpyMatrix read_npy(const std::string& path)
{
    return read_dimensions(path, "\\(\\s*(\\d+)\\s*,\\s*(\\d+)\\s*,?\\s*\\)", "(rows, columns)");
}

NpyMatrix read_npy_array(const std::string& path)
{
    return read_dimensions(
        path, "\\(\\s*(\\d+)\\s*,(?:\\s*(\\d+)\\s*(?:,\\s*(?:(\\d+)\\s*,?)?)?)?\\s*\\)",
        "one to three dimensions");
}

NpyMatrix read_npy_tensor(const std::string& path)
{
    // A size more in each repetition: an expression keeps the last of those that a group matched.
    std::string sizes = "\\(\\s*(\\d+)\\s*,";
    for (int more = 1; more < 32; ++more) {
        sizes += "(?:\\s*(\\d+)\\s*(?:,";
    }
    sizes += "\\s*";
    for (int more = 1; more < 32; ++more) {
        sizes += ")?)?";
    }
    return read_dimensions(path, sizes + "\\s*\\)", "one to 32 dimensions");
}

void write_npy(const std::string& path, const NpyMatrix& matrix, NpyNumber number)
{
    const bool single = number == NpyNumber::f4;
    std::string text =
        "{'descr': '<" + std::string(single ? "f4" : "f8") +
        "', 'fortran_order': False, 'shape': " +
        npy_shape_text(matrix.shape.empty() ? std::vector<std::int64_t>{matrix.rows, matrix.columns}
                                            : matrix.shape) +
        ", }";
    const std::size_t before = magic.size() + 4;
    text.resize((before + text.size() + 1 + alignment - 1) / alignment * alignment - before - 1,
                ' ');
    text += '\n';
    std::string bytes = magic;
    bytes += std::string("\x01\x00", 2);
    bytes += static_cast<char>(text.size() & 0xff);
    bytes += static_cast<char>(text.size() >> 8);
    bytes += text;
    bytes +=
        single ? numbers_as_bytes<float>(matrix.values) : numbers_as_bytes<double>(matrix.values);
    write_file_atomically(path, bytes);
}

} // namespace alxsim
