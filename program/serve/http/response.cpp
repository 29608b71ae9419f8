// SPDX-License-Identifier: Apache-2.0
#include "program/serve/http/response.h"

#include <boost/beast/http/status.hpp>
#include <sstream>

namespace alxsim::program::http_server {
namespace {

constexpr const char* safe_headers =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n"
    "Accept-Ranges: none\r\n"
    "Connection: close\r\n";

} // namespace

std::string head_of_response(const Answer& answer)
{
    const auto status = static_cast<boost::beast::http::status>(answer.status);
    std::ostringstream head;
    head << "HTTP/1.1 " << answer.status << " " << boost::beast::http::obsolete_reason(status)
         << "\r\n"
         << safe_headers << "Content-Type: " << answer.type << "\r\n"
         << "Content-Length: " << answer.body.size() << "\r\n\r\n";
    return head.str();
}

} // namespace alxsim::program::http_server
