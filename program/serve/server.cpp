// SPDX-License-Identifier: Apache-2.0
#include "program/serve/server.h"

#include "program/serve/gate.h"
#include "program/serve/page.h"

#include <cstdio>
#include <httplib.h>
#include <map>
#include <thread>

namespace alxsim::program {
namespace {

constexpr const char* host = "127.0.0.1";
/// Requests at once. A browser opens six connections.
constexpr std::size_t most_requests = 8;
constexpr int unprocessable = 422; ///< a value that the study does not allow
constexpr int conflict = 409;
constexpr int not_found = 404;
constexpr int bad_request = 400;
constexpr int failed = 500;

const httplib::Headers& safe_headers()
{
    static const httplib::Headers headers{
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    return headers;
}

RequestHead head_of(const httplib::Request& request)
{
    const auto header = [&](const char* name) {
        // Two of a kind are as good as none that we know.
        return request.get_header_value_count(name) > 1 ? "twice" : request.get_header_value(name);
    };
    return {request.method,           request.path,
            header("Host"),           header("Origin"),
            header("Sec-Fetch-Site"), header("Content-Type"),
            header("Content-Length"), header("Transfer-Encoding")};
}

void answer(httplib::Response& response, int status, const Json& json)
{
    response.status = status;
    response.set_content(json.dump(), "application/json");
}

void refuse(httplib::Response& response, int status, const std::string& why)
{
    answer(response, status, {{"error", why}});
}

using Handler = Json (*)(Playground&, const Json& request);

/// What is asked for by POST.
const std::map<std::string, Handler>& handlers()
{
    static const std::map<std::string, Handler> all{
        {"study", [](Playground& one, const Json& request) { return one.controls(request); }},
        {"curve", [](Playground& one, const Json& request) { return one.curve(request); }},
        {"confirm", [](Playground& one, const Json& request) { return one.confirm(request); }},
        {"cancel", [](Playground& one, const Json&) { return one.cancel(); }},
        {"save", [](Playground& one, const Json& request) { return one.save(request); }}};
    return all;
}

/// Answers, or says why not.
void handle(Playground& playground, const std::string& name, const std::string& body,
            httplib::Response& response)
{
    const auto found = handlers().find(name);
    if (found == handlers().end()) {
        refuse(response, not_found, "nothing here is called '" + printable(name) + "'");
        return;
    }
    Json request;
    try {
        request = parse_json(body, "the request");
    } catch (const InputError& error) {
        refuse(response, bad_request, error.what());
        return;
    }
    try {
        answer(response, 200, found->second(playground, request));
    } catch (const InputError& error) {
        refuse(response, unprocessable, error.what());
    } catch (const Superseded& error) {
        refuse(response, conflict, error.what());
    } catch (const Busy& error) {
        refuse(response, conflict, error.what());
    } catch (const std::exception& error) {
        refuse(response, failed, printable(error.what()));
    }
}

void show(const Playground& playground, const std::string& name, httplib::Response& response)
{
    if (name == "confirm") {
        answer(response, 200, playground.confirmation());
    } else if (const std::optional<PageFile> file = page_file(name)) {
        response.set_content(file->content, file->type);
    } else {
        refuse(response, not_found, "nothing here is called '" + printable(name) + "'");
    }
}

} // namespace

struct PageServer::Server {
    std::string token = random_token();
    int port = 0;
    std::unique_ptr<Gate> gate;
    httplib::Server http;
    std::thread thread;
};

PageServer::PageServer(Playground& playground, int port) : server_(std::make_unique<Server>())
{
    httplib::Server& http = server_->http;
    http.new_task_queue = [] { return new httplib::ThreadPool(most_requests); };
    http.set_payload_max_length(most_body_bytes);
    http.set_tcp_nodelay(true);
    // A connection that waits for its next request would keep one of few threads from others.
    http.set_keep_alive_max_count(1);
    http.set_keep_alive_timeout(1);
    http.set_default_headers(safe_headers());
    http.set_socket_options([](socket_t socket) { // the default shares the port with others
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_->port = port == 0                       ? http.bind_to_any_port(host)
                    : http.bind_to_port(host, port) ? port
                                                    : -1;
    if (server_->port < 0) {
        throw InputError("--port", std::to_string(port),
                         "cannot be listened on: another program does; allowed is a free one, "
                         "or none: then one is chosen");
    }
    server_->gate = std::make_unique<Gate>(server_->token, server_->port);
    const Gate& gate = *server_->gate;
    http.set_pre_routing_handler(
        [&gate](const httplib::Request& request, httplib::Response& response) {
            const Gate::Verdict verdict = gate.judge(head_of(request)); // before a body is read
            if (verdict.status == 0) {
                return httplib::Server::HandlerResponse::Unhandled;
            }
            refuse(response, verdict.status, verdict.words);
            return httplib::Server::HandlerResponse::Handled;
        });
    http.Get(".*",
             [&gate, &playground](const httplib::Request& request, httplib::Response& response) {
                 show(playground, gate.judge(head_of(request)).name, response);
             });
    http.Post(".*",
              [&gate, &playground](const httplib::Request& request, httplib::Response& response) {
                  handle(playground, gate.judge(head_of(request)).name, request.body, response);
              });
    server_->thread = std::thread([&http] { http.listen_after_bind(); });
    while (!http.is_running()) { // else an early stop() is lost
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

PageServer::~PageServer()
{
    server_->http.stop();
    server_->thread.join();
}

std::string PageServer::address() const
{
    return std::string("http://") + host + ":" + std::to_string(server_->port) + "/" +
           server_->token + "/";
}

} // namespace alxsim::program
