// SPDX-License-Identifier: Apache-2.0
#include "tests/http_client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace alxsim::testing {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

HttpAnswer answer_of(const http::response<http::string_body>& response)
{
    HttpAnswer answer;
    answer.status = static_cast<int>(response.result_int());
    for (const auto& field : response) {
        answer.headers[std::string(field.name_string())] = std::string(field.value());
    }
    answer.body = response.body();
    return answer;
}

} // namespace

HttpClient::HttpClient(const std::string& address)
    : port_(std::stoi(address.substr(address.find(':', 7) + 1)))
{
}

HttpAnswer HttpClient::ask(const std::string& method, const std::string& target,
                           const HttpHeaders& headers, const std::string& body) const
{
    http::request<http::string_body> request;
    request.method_string(method);
    request.target(target);
    request.set(http::field::host, "127.0.0.1:" + std::to_string(port_));
    request.set(http::field::connection, "close");
    for (const auto& [name, value] : headers) {
        request.set(name, value);
    }
    request.body() = body;
    if (request.count(http::field::transfer_encoding) == 0) {
        request.prepare_payload();
    }

    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    boost::system::error_code error;
    socket.connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(port_)}, error);
    http::write(socket, request, error); // it may have hung up on what it does not read
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    http::read(socket, buffer, parser, error);
    return error ? HttpAnswer() : answer_of(parser.get());
}

HttpAnswer HttpClient::post(const std::string& target, const std::string& body,
                            HttpHeaders headers) const
{
    headers.insert({"Content-Type", "application/json"});
    return ask("POST", target, headers, body);
}

} // namespace alxsim::testing
