// SPDX-License-Identifier: Apache-2.0
#include "program/serve/server.h"

#include "program/serve/answers.h"
#include "program/serve/http/gate.h"
#include "program/serve/http/listener.h"

#include <boost/asio/post.hpp>
#include <thread>

namespace alxsim::program {

using namespace http_server;

struct PageServer::Server {
    Server(Answers answers, int port, const ServerLimits& limits)
        : acceptor(acceptor_on(io, port)),
          service(Gate(token, acceptor.local_endpoint().port()), std::move(answers), limits),
          listener(acceptor, service),
          thread([this] { listener.run(io); })
    {
    }
    ~Server()
    {
        service.ending = true;
        asio::post(io, [this] { listener.end(); });
        service.workers.join();
        io.stop();
        thread.join();
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    const std::string token = random_token();
    asio::io_context io{1};
    Acceptor acceptor;
    Service service;
    Listener listener;
    std::thread thread; ///< the last: it uses all others
};

PageServer::PageServer(Answers answers, int port, const ServerLimits& limits)
    : server_(std::make_unique<Server>(std::move(answers), port, limits))
{
}

PageServer::PageServer(Playground& playground, int port, const ServerLimits& limits)
    : PageServer(
          [&playground](const Question& question) { return answer_of(playground, question); }, port,
          limits)
{
}

PageServer::~PageServer() = default;

std::string PageServer::address() const
{
    return "http://127.0.0.1:" + std::to_string(server_->acceptor.local_endpoint().port()) + "/" +
           server_->token + "/";
}

} // namespace alxsim::program
