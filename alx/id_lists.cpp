// SPDX-License-Identifier: Apache-2.0
#include "alx/id_lists.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace alxsim::alx {
namespace {

constexpr std::int64_t block_lists = 8;
/// A gap is read as one word, which may reach beyond the last code.
constexpr std::size_t word = sizeof(std::uint64_t);

constexpr int most_widths = 4;
constexpr int width_bits = 5;
constexpr int most_bits = 31; ///< of a gap

std::uint64_t word_at(const unsigned char* bytes, std::uint64_t bit)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes + (bit >> 3), word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    return bits >> (bit & 7);
}

std::uint64_t low_bits(std::uint64_t bits, unsigned count)
{
    return bits & ((std::uint64_t{1} << count) - 1);
}

/// Takes the length that a code begins with, and goes behind it.
std::int64_t read_length(const unsigned char*& code)
{
    std::uint64_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
        const unsigned char byte = *code++;
        length |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) {
            return static_cast<std::int64_t>(length);
        }
    }
}

int bits_of(std::uint32_t gap)
{
    return gap == 0 ? 0 : 32 - __builtin_clz(gap);
}

/// How the gaps of a list are written.
struct Widths {
    unsigned k = 0; ///< bits of a width's name
    std::array<int, most_widths> bits{};

    int count() const { return 1 << k; }
    /// The narrowest that holds so many bits.
    unsigned narrowest(int wanted) const
    {
        unsigned name = 0;
        while (bits[name] < wanted) {
            ++name;
        }
        return name;
    }
};

/// Finds the widths with which gaps take the fewest bits: the dynamic program over the numbers of
/// bits that there are, in which a width holds a run of them.
class WidthChoice {
public:
    /// `gaps[b]`: how many gaps have b bits.
    explicit WidthChoice(const std::array<std::int64_t, most_bits + 1>& gaps)
    {
        for (int bits = 0; bits <= most_bits; ++bits) {
            if (gaps[static_cast<std::size_t>(bits)] > 0) {
                bits_[count_] = bits;
                before_[count_ + 1] = before_[count_] + gaps[static_cast<std::size_t>(bits)];
                ++count_;
            }
        }
        for (std::size_t i = 0; i < count_; ++i) {
            cost_[0][i] = before_[i + 1] * bits_[i];
        }
        for (std::size_t width = 1; width < most_widths; ++width) {
            add_width(width);
        }
    }

    Widths best() const
    {
        Widths widths;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const unsigned k : {0U, 1U, 2U}) {
            const std::int64_t names = before_[count_] * k;
            const std::int64_t bits = cost_[(1U << k) - 1][count_ - 1] + names + (width_bits << k);
            if (bits < least) {
                least = bits;
                widths.k = k;
            }
        }
        fill(widths);
        return widths;
    }

private:
    /// What one more width saves: cost_[w][i] is that of the numbers of bits up to i with w + 1.
    void add_width(std::size_t width)
    {
        for (std::size_t i = 0; i < count_; ++i) {
            cost_[width][i] = cost_[width - 1][i];
            from_[width][i] = unused;
            for (std::size_t last = 0; last < i; ++last) {
                const std::int64_t cost =
                    cost_[width - 1][last] + (before_[i + 1] - before_[last + 1]) * bits_[i];
                if (cost < cost_[width][i]) {
                    cost_[width][i] = cost;
                    from_[width][i] = last;
                }
            }
        }
    }

    void fill(Widths& widths) const
    {
        std::size_t i = count_ - 1;
        for (auto width = static_cast<std::size_t>(widths.count()); width-- > 0;) {
            widths.bits[width] = bits_[i];
            if (width > 0 && from_[width][i] != unused) {
                i = from_[width][i];
            }
        }
    }

    static constexpr std::size_t unused = most_bits + 1;

    std::size_t count_ = 0;
    std::array<int, most_bits + 1> bits_{};
    std::array<std::int64_t, most_bits + 2> before_{}; ///< gaps of fewer bits
    std::array<std::array<std::int64_t, most_bits + 1>, most_widths> cost_{};
    std::array<std::array<std::size_t, most_bits + 1>, most_widths> from_{};
};

/// Writes bits from the lowest on.
class BitWriter {
public:
    explicit BitWriter(std::vector<unsigned char>& bytes) : bytes_(bytes) {}
    ~BitWriter()
    {
        if (held_ > 0) {
            bytes_.push_back(static_cast<unsigned char>(bits_));
        }
    }
    BitWriter(const BitWriter&) = delete;
    BitWriter& operator=(const BitWriter&) = delete;

    void put(std::uint64_t bits, int count)
    {
        bits_ |= bits << held_;
        for (held_ += count; held_ >= 8; held_ -= 8) {
            bytes_.push_back(static_cast<unsigned char>(bits_));
            bits_ >>= 8;
        }
    }

private:
    std::vector<unsigned char>& bytes_;
    std::uint64_t bits_ = 0;
    int held_ = 0;
};

std::uint32_t gap_before(const std::int32_t* ids, std::int64_t i)
{
    return static_cast<std::uint32_t>(i == 0 ? ids[0] : ids[i] - ids[i - 1] - 1);
}

Widths widths_for(const std::int32_t* ids, std::int64_t count)
{
    std::array<std::int64_t, most_bits + 1> gaps{};
    for (std::int64_t i = 0; i < count; ++i) {
        ++gaps[static_cast<std::size_t>(bits_of(gap_before(ids, i)))];
    }
    return WidthChoice(gaps).best();
}

void encode(const std::int32_t* ids, std::int64_t count, std::vector<unsigned char>& bytes)
{
    auto length = static_cast<std::uint64_t>(count);
    for (; length >= 0x80; length >>= 7) {
        bytes.push_back(static_cast<unsigned char>(length | 0x80));
    }
    bytes.push_back(static_cast<unsigned char>(length));
    const Widths widths = widths_for(ids, count);
    BitWriter writer(bytes);
    writer.put(widths.k, 2);
    for (int i = 0; i < widths.count(); ++i) {
        writer.put(static_cast<std::uint64_t>(widths.bits[static_cast<std::size_t>(i)]),
                   width_bits);
    }
    for (std::int64_t i = 0; widths.k > 0 && i < count; ++i) {
        writer.put(widths.narrowest(bits_of(gap_before(ids, i))), static_cast<int>(widths.k));
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t gap = gap_before(ids, i);
        writer.put(gap, widths.bits[widths.narrowest(bits_of(gap))]);
    }
}

} // namespace

const unsigned char* IdLists::code(std::int64_t list) const
{
    return codes_.data() + blocks_[static_cast<std::size_t>(list / block_lists)] +
           begins_[static_cast<std::size_t>(list)];
}

std::size_t IdLists::end(std::int64_t list) const
{
    return list + 1 == size() ? codes_.size()
                              : static_cast<std::size_t>(code(list + 1) - codes_.data());
}

std::int64_t IdLists::length(std::int64_t list) const
{
    const unsigned char* code = this->code(list);
    return code == codes_.data() + end(list) ? 0 : read_length(code);
}

void IdLists::read(std::int64_t list, std::int32_t* ids) const
{
    const unsigned char* code = this->code(list);
    if (code == codes_.data() + end(list)) {
        return;
    }
    const std::int64_t length = read_length(code);
    const std::uint64_t head = word_at(code, 0);
    const auto k = static_cast<unsigned>(low_bits(head, 2));
    std::array<unsigned, most_widths> widths{};
    for (unsigned i = 0; i < 1U << k; ++i) {
        widths[i] = static_cast<unsigned>(low_bits(head >> (2 + width_bits * i), width_bits));
    }
    std::uint64_t names_at = 2 + (std::uint64_t{width_bits} << k);
    std::uint64_t at = names_at + static_cast<std::uint64_t>(length) * k;
    auto id = std::uint32_t(-1);
    const unsigned mask = (1U << k) - 1;
    constexpr std::int64_t names_in_word = 24; // of two bits, whatever bit they begin at
    for (std::int64_t first = 0; first < length; first += names_in_word) {
        const std::int64_t last = std::min(length, first + names_in_word);
        std::uint64_t names = word_at(code, names_at);
        names_at += std::uint64_t{names_in_word} * k;
        for (std::int64_t i = first; i < last; ++i) {
            const unsigned width = widths[names & mask];
            names >>= k;
            id += 1 + static_cast<std::uint32_t>(low_bits(word_at(code, at), width));
            at += width;
            ids[i] = static_cast<std::int32_t>(id);
        }
    }
}

void IdLists::reserve(std::int64_t lists)
{
    begins_.reserve(static_cast<std::size_t>(lists));
    blocks_.reserve(static_cast<std::size_t>(lists / block_lists) + 1);
}

void IdLists::begin_list()
{
    if (size() % block_lists == 0) {
        blocks_.push_back(codes_.size());
    }
    const std::uint64_t begin = codes_.size() - blocks_.back();
    if (begin > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("eight lists of ids take more than 4 GiB");
    }
    begins_.push_back(static_cast<std::uint32_t>(begin));
}

void IdLists::append(const std::int32_t* ids, std::int64_t count)
{
    begin_list();
    if (count > 0) {
        thread_local std::vector<unsigned char> bytes;
        bytes.clear();
        encode(ids, count, bytes);
        codes_.append(bytes.data(), bytes.size());
        total_ += count;
    }
}

void IdLists::append(const IdLists& others, std::int64_t list)
{
    begin_list();
    const unsigned char* code = others.code(list);
    codes_.append(code, others.end(list) - static_cast<std::size_t>(code - others.codes_.data()));
    total_ += others.length(list);
}

std::size_t IdLists::bytes() const
{
    return (codes_.in_file() ? 0 : codes_.size()) + blocks_.size() * sizeof blocks_[0] +
           begins_.size() * sizeof begins_[0];
}

bool operator==(const IdLists& a, const IdLists& b)
{
    return a.begins_ == b.begins_ && a.blocks_ == b.blocks_ && a.codes_.size() == b.codes_.size() &&
           std::equal(a.codes_.data(), a.codes_.data() + a.codes_.size(), b.codes_.data());
}

} // namespace alxsim::alx
