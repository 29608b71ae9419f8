// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace alxsim::testing {

struct HttpAnswer {
    int status = 0; ///< 0: none came
    std::map<std::string, std::string> headers;
    std::string body;

    explicit operator bool() const { return status != 0; }
    std::string header(const std::string& name) const
    {
        const auto found = headers.find(name);
        return found == headers.end() ? "" : found->second;
    }
};

using HttpHeaders = std::map<std::string, std::string>;

/// Asks a server on 127.0.0.1, by a new connection each time.
class HttpClient {
public:
    explicit HttpClient(int port) : port_(port) {}
    /// "http://127.0.0.1:PORT/...".
    explicit HttpClient(const std::string& address);

    int port() const { return port_; }
    HttpAnswer ask(const std::string& method, const std::string& target,
                   const HttpHeaders& headers = {}, const std::string& body = "") const;
    HttpAnswer get(const std::string& target, const HttpHeaders& headers = {}) const
    {
        return ask("GET", target, headers);
    }
    /// JSON.
    HttpAnswer post(const std::string& target, const std::string& body,
                    HttpHeaders headers = {}) const;

private:
    int port_;
};

} // namespace alxsim::testing
