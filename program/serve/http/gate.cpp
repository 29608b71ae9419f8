// SPDX-License-Identifier: Apache-2.0
#include "program/serve/http/gate.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <sys/random.h>

namespace alxsim::program {
namespace {

constexpr int bad_request = 400;
constexpr int forbidden = 403;
constexpr int method_not_allowed = 405;
constexpr int length_required = 411;
constexpr int too_large = 413;
constexpr int unsupported_type = 415;

/// 0 to 15; -1 for what is no hexadecimal digit.
int value_of_digit(char digit)
{
    const bool decimal = digit >= '0' && digit <= '9';
    const char small = static_cast<char>(digit | 0x20);
    return decimal ? digit - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/// A length that no body may have, for what is no number.
std::uint64_t length_of(const std::string& text)
{
    const bool digits = text.size() < 12 && text.find_first_not_of("0123456789") == text.npos;
    return digits && !text.empty() ? std::stoull(text) : most_body_bytes + 1;
}

/// Judges a request that brings something. JSON alone: a page of another origin may not send that
/// without asking first.
Gate::Verdict judge_body(const RequestHead& head)
{
    if (head.method == "GET") {
        return {};
    }
    if (!head.transfer_encoding.empty() || head.content_length.empty()) {
        return {length_required, "the body's length has to be said", ""};
    }
    if (length_of(head.content_length) > most_body_bytes) {
        return {too_large, "the body is larger than " + std::to_string(most_body_bytes) + " bytes",
                ""};
    }
    if (head.content_type.rfind("application/json", 0) != 0) {
        return {unsupported_type, "allowed is application/json", ""};
    }
    return {};
}

} // namespace

bool Gate::is_ours(const std::string& host) const
{
    const std::string port = ":" + std::to_string(port_);
    return host == "127.0.0.1" + port || host == "localhost" + port;
}

Gate::Verdict Gate::judge(const RequestHead& head) const
{
    // Another name for this address is a page's that leads its name here (DNS rebinding).
    if (!is_ours(head.host)) {
        return {forbidden, "another host is asked for than this server", ""};
    }
    const bool from_us = head.origin.empty() ||
                         (head.origin.rfind("http://", 0) == 0 && is_ours(head.origin.substr(7)));
    const bool from_here =
        head.fetch_site.empty() || head.fetch_site == "same-origin" || head.fetch_site == "none";
    if (!from_us || !from_here) {
        return {forbidden, "a page of another origin asks", ""};
    }
    if (head.path.find("..") != std::string::npos) {
        return {bad_request, "no path has '..'", ""};
    }
    const std::size_t end = std::min(head.path.find('/', 1), head.path.size());
    if (head.path.empty() || !same_in_constant_time(head.path.substr(1, end - 1), token_)) {
        return {forbidden, "the address lacks the token that 'alxsim serve' printed", ""};
    }
    if (head.method != "GET" && head.method != "POST") {
        return {method_not_allowed, "allowed are GET and POST", ""};
    }
    Verdict verdict = judge_body(head);
    verdict.name = end == head.path.size() ? "" : head.path.substr(end + 1);
    return verdict;
}

std::string path_of_target(const std::string& target)
{
    const std::string coded = target.substr(0, target.find_first_of("?#"));
    std::string path;
    for (std::size_t i = 0; i < coded.size(); ++i) {
        const bool two_more = coded[i] == '%' && i + 2 < coded.size();
        const int high = two_more ? value_of_digit(coded[i + 1]) : -1;
        const int low = two_more ? value_of_digit(coded[i + 2]) : -1;
        if (high >= 0 && low >= 0) {
            path += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            path += coded[i];
        }
    }
    return path;
}

std::string random_token()
{
    std::array<unsigned char, 16> bits{};
    if (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
        throw std::runtime_error("the system gives no random numbers");
    }
    const char* const digits = "0123456789abcdef";
    std::string token;
    for (const unsigned char eight : bits) {
        token += {digits[eight >> 4], digits[eight & 15]};
    }
    return token;
}

bool same_in_constant_time(const std::string& a, const std::string& b)
{
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const char mine = i < a.size() ? a[i] : '\0';
        different |= static_cast<unsigned>(static_cast<unsigned char>(mine ^ b[i]));
    }
    return different == 0;
}

} // namespace alxsim::program
