// SPDX-License-Identifier: Apache-2.0
#include "model/graph/size_expression.h"

#include "base/input_error.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace alxsim::model {
namespace {

const char* const allowed =
    "; allowed: numbers, devices, + - * / ( ), ceil(a), floor(a), min(a, b) and max(a, b), like "
    "\"65536/devices\"";

/// A fraction in lowest terms, its denominator positive.
struct Fraction {
    std::int64_t over = 0;
    std::int64_t under = 1;

    bool whole() const { return under == 1; }
    std::int64_t floor() const { return over / under - (over % under < 0 ? 1 : 0); }
    std::int64_t ceil() const { return over / under + (over % under > 0 ? 1 : 0); }
    double value() const { return static_cast<double>(over) / static_cast<double>(under); }
};

/// What goes wrong while an expression is computed, without its place.
struct Problem {
    std::string words;
};

/// -2^63 has no opposite, and is none of the numbers.
std::int64_t checked(bool overflows, std::int64_t result)
{
    if (overflows || result == std::numeric_limits<std::int64_t>::min()) {
        throw Problem{"comes to 2^63 and more on the way; allowed: less"};
    }
    return result;
}

std::int64_t product(std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    const bool overflows = __builtin_mul_overflow(a, b, &result);
    return checked(overflows, result);
}

std::int64_t sum(std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    const bool overflows = __builtin_add_overflow(a, b, &result);
    return checked(overflows, result);
}

Fraction in_lowest_terms(std::int64_t over, std::int64_t under)
{
    const std::int64_t common = std::gcd(over, under);
    return under < 0 ? Fraction{product(-1, over / common), product(-1, under / common)}
                     : Fraction{over / common, under / common};
}

Fraction operator+(const Fraction& a, const Fraction& b)
{
    return in_lowest_terms(sum(product(a.over, b.under), product(b.over, a.under)),
                           product(a.under, b.under));
}

Fraction operator-(const Fraction& a)
{
    return {product(-1, a.over), a.under};
}

/// Cancels first, so that what fits at the end fits on the way.
Fraction operator*(const Fraction& a, const Fraction& b)
{
    const Fraction left = in_lowest_terms(a.over, b.under);
    const Fraction right = in_lowest_terms(b.over, a.under);
    return {product(left.over, right.over), product(left.under, right.under)};
}

Fraction operator/(const Fraction& a, const Fraction& b)
{
    if (b.over == 0) {
        throw Problem{"divides by 0"};
    }
    return a * in_lowest_terms(b.under, b.over);
}

bool operator<(const Fraction& a, const Fraction& b)
{
    return product(a.over, b.under) < product(b.over, a.under);
}

/// Reads an expression from left to right and computes it on the way. Throws Problem.
class Reader {
public:
    Reader(const std::string& text, std::optional<int> devices) : text_(text), devices_(devices) {}

    Fraction all()
    {
        const Fraction value = terms();
        if (next() != '\0') {
            refuse();
        }
        return value;
    }

private:
    /// The character at hand behind spaces; 0 at the end.
    char next()
    {
        at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char wanted)
    {
        const bool there = next() == wanted;
        at_ += there ? 1 : 0;
        return there;
    }

    void need(char wanted)
    {
        if (!take(wanted)) {
            refuse();
        }
    }

    [[noreturn]] void refuse()
    {
        const char found = next();
        throw Problem{(found == '\0' ? std::string("ends too early")
                                     : "has '" + std::string(1, found) + "' at character " +
                                           std::to_string(at_ + 1)) +
                      allowed};
    }

    Fraction terms()
    {
        Fraction value = factors();
        for (;;) {
            if (take('+')) {
                value = value + factors();
            } else if (take('-')) {
                value = value + -factors();
            } else {
                return value;
            }
        }
    }

    Fraction factors()
    {
        Fraction value = factor();
        for (;;) {
            if (take('*')) {
                value = value * factor();
            } else if (take('/')) {
                value = value / factor();
            } else {
                return value;
            }
        }
    }

    Fraction factor()
    {
        constexpr int deepest = 100; // as no size is written; the stack holds more
        if (++depth_ > deepest) {
            throw Problem{"is nested more than 100 deep"};
        }
        Fraction value;
        if (take('-')) {
            value = -factor();
        } else if (take('(')) {
            value = terms();
            need(')');
        } else if (is_digit(next()) || next() == '.') {
            value = number();
        } else {
            value = named();
        }
        --depth_;
        return value;
    }

    static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

    /// "65536", "1.5", "4e9"
    Fraction number()
    {
        Fraction value;
        std::int64_t under = 1;
        bool point = false;
        bool digits = false;
        for (; at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.'); ++at_) {
            if (text_[at_] == '.') {
                if (point) {
                    refuse();
                }
                point = true;
                continue;
            }
            digits = true;
            value.over = sum(product(value.over, 10), text_[at_] - '0');
            under = point ? product(under, 10) : under;
        }
        if (!digits) {
            refuse();
        }
        return in_lowest_terms(value.over, under) * power_of_ten();
    }

    /// Reads "e9" or "e-3"; 1 where there is none.
    Fraction power_of_ten()
    {
        if (at_ >= text_.size() || (text_[at_] != 'e' && text_[at_] != 'E')) {
            return {1, 1};
        }
        ++at_;
        const bool down = take('-');
        if (!down) {
            take('+');
        }
        if (!is_digit(next())) {
            refuse();
        }
        int exponent = 0;
        for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
            exponent = std::min(100, 10 * exponent + (text_[at_] - '0'));
        }
        std::int64_t power = 1;
        for (; exponent > 0; --exponent) {
            power = product(power, 10);
        }
        return down ? Fraction{1, power} : Fraction{power, 1};
    }

    /// devices, or a function.
    Fraction named()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z') {
            ++at_;
        }
        const std::string name = text_.substr(begin, at_ - begin);
        if (name == "devices" && devices_) {
            return {*devices_, 1};
        }
        if (name == "devices") {
            throw Problem{"names devices where no machine is known; allowed: numbers"};
        }
        if (name != "ceil" && name != "floor" && name != "min" && name != "max") {
            at_ = begin;
            if (name.empty()) {
                refuse();
            }
            throw Problem{"has '" + name + "'" +
                          did_you_mean(name, {"devices", "ceil", "floor", "min", "max"}) + allowed};
        }
        need('(');
        Fraction value = terms();
        if (name == "ceil" || name == "floor") {
            value = {name == "ceil" ? value.ceil() : value.floor(), 1};
        } else {
            need(',');
            const Fraction other = terms();
            value = (name == "min") == (other < value) ? other : value;
        }
        need(')');
        return value;
    }

    const std::string& text_;
    std::optional<int> devices_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

[[noreturn]] void refuse(const std::string& text, const std::string& problem,
                         const std::string& file, const std::string& place)
{
    throw InputError(file, place, "found \"" + text + "\", which " + problem);
}

Fraction computed(const std::string& text, std::optional<int> devices, const std::string& file,
                  const std::string& place)
{
    try {
        return Reader(text, devices).all();
    } catch (const Problem& problem) {
        refuse(text, problem.words, file, place);
    }
}

bool is_size(const std::string& field)
{
    static const std::set<std::string> sizes{
        "batch",         "m",          "k",          "n",     "elements",   "minor", "rows",
        "row_bytes",     "table_rows", "owned_rows", "bytes", "bytes_back", "times", "bytes_read",
        "bytes_written", "length"};
    return sizes.count(field) != 0;
}

/// Puts numbers in place of expressions, here and below.
class Sizes {
public:
    Sizes(std::optional<int> devices, const std::string& file) : devices_(devices), file_(file) {}

    void compute(Json& json, const std::string& place) const
    {
        if (json.is_array()) {
            for (std::size_t i = 0; i < json.size(); ++i) {
                compute(json.at(i), place + "/" + std::to_string(i));
            }
        }
        if (!json.is_object()) {
            return;
        }
        for (auto& [field, value] : json.items()) {
            const std::string here = place + "/" + field;
            if (field == "mesh") {
                for (auto& [axis, length] : value.items()) {
                    compute_size(length, here + "/" + axis);
                }
            } else if (field == "messages") {
                compute_messages(value, here);
            } else if (is_size(field)) {
                compute_size(value, here);
            } else if (field == "ops_per_element" && value.is_string()) {
                value = computed(value.get<std::string>(), devices_, file_, here).value();
            } else {
                compute(value, here);
            }
        }
    }

private:
    void compute_size(Json& value, const std::string& place) const
    {
        if (value.is_string()) {
            value = size_of_expression(value.get<std::string>(), devices_, file_, place);
        }
    }

    /// Each [source, destination, bytes], or an object.
    void compute_messages(Json& messages, const std::string& place) const
    {
        if (!messages.is_array()) {
            return;
        }
        for (std::size_t i = 0; i < messages.size(); ++i) {
            Json& message = messages.at(i);
            const std::string here = place + "/" + std::to_string(i);
            if (message.is_array() && message.size() == 3) {
                compute_size(message.at(2), here + "/2");
            } else {
                compute(message, here);
            }
        }
    }

    std::optional<int> devices_;
    const std::string& file_;
};

} // namespace

std::int64_t size_of_expression(const std::string& text, std::optional<int> devices,
                                const std::string& file, const std::string& place)
{
    const Fraction value = computed(text, devices, file, place);
    if (!value.whole()) {
        const std::string fraction = std::to_string(value.over) + "/" + std::to_string(value.under);
        refuse(text,
               "is " + fraction +
                   (devices ? " with " + std::to_string(*devices) + " devices" : "") +
                   "; allowed: whole numbers, as ceil(" + text + ") gives",
               file, place);
    }
    return value.over;
}

Json with_sizes(Json graph, std::optional<int> devices, const std::string& file)
{
    Sizes(devices, file).compute(graph, "");
    return graph;
}

} // namespace alxsim::model
