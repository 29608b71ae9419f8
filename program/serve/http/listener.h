// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/http/connection.h"

#include <memory>
#include <vector>

namespace alxsim::program::http_server {

using Acceptor = asio::ip::tcp::acceptor;

/// Listens on 127.0.0.1 from now on. Throws InputError for a port that is taken.
Acceptor acceptor_on(asio::io_context& io, int port);

/// Takes connections, as many as there may be at once: where there is one more, the oldest of those
/// that nobody works for is closed, so that who sends its request at once always gets in.
class Listener {
public:
    Listener(Acceptor& acceptor, Service& service) : acceptor_(acceptor), service_(service) {}

    /// Runs what was accepted, and all else of the acceptor's context, until it is stopped.
    void run(asio::io_context& io) noexcept;
    /// Takes none any more, and closes those that there are.
    void end();

private:
    void accept();
    void take(Socket socket);
    bool make_room();
    bool close_oldest();

    Acceptor& acceptor_;
    Service& service_;
    bool accepting_ = false;
    bool ended_ = false;
    std::vector<std::weak_ptr<Connection>> connections_; ///< the oldest first
};

} // namespace alxsim::program::http_server
