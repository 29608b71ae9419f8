// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace alxsim::program {

/// What is known of a request before its body is read; a header that is not there is "".
struct RequestHead {
    std::string method;
    std::string path; ///< decoded, without the query
    std::string host;
    std::string origin;
    std::string fetch_site; ///< Sec-Fetch-Site
    std::string content_type;
    std::string content_length;
    std::string transfer_encoding;
};

/// Larger bodies are not read.
constexpr std::uint64_t most_body_bytes = std::uint64_t{1} << 20;

/// Lets in only who was told the address: a page of this server, or a program of its user.
class Gate {
public:
    Gate(std::string token, int port) : token_(std::move(token)), port_(port) {}

    struct Verdict {
        int status = 0;    ///< of HTTP; 0: come in
        std::string words; ///< why not
        std::string name;  ///< what is asked for: the path behind the token
    };
    Verdict judge(const RequestHead& head) const;

private:
    bool is_ours(const std::string& host) const;

    std::string token_;
    int port_;
};

/// What a request line asks for, without its query and with its "%2e" as ".".
std::string path_of_target(const std::string& target);

/// 128 bits of the system's random numbers in hexadecimal digits.
std::string random_token();

/// Whether two texts are equal, in a time that tells nothing of where they differ.
bool same_in_constant_time(const std::string& a, const std::string& b);

} // namespace alxsim::program
