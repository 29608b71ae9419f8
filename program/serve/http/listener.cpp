// SPDX-License-Identifier: Apache-2.0
#include "program/serve/http/listener.h"

#include "base/input_error.h"

#include <algorithm>
#include <cstdint>
#include <thread>

namespace alxsim::program::http_server {
namespace {

/// Where the system gives no more sockets, or no memory: others may give theirs back.
constexpr std::chrono::milliseconds pause_after_failure{10};

} // namespace

Acceptor acceptor_on(asio::io_context& io, int port)
try {
    const asio::ip::tcp::endpoint place(asio::ip::address_v4::loopback(),
                                        static_cast<std::uint16_t>(port));
    Acceptor acceptor(io);
    acceptor.open(place.protocol());
    acceptor.set_option(Acceptor::reuse_address(true));
    acceptor.bind(place);
    acceptor.listen();
    return acceptor;
} catch (const boost::system::system_error& error) {
    throw InputError("--port", std::to_string(port),
                     "cannot be listened on (" + error.code().message() +
                         "); allowed is a port that no program has, or none: then one is chosen");
}

void Listener::run(asio::io_context& io) noexcept
{
    while (!io.stopped()) {
        try {
            if (!accepting_ && !ended_) {
                accept();
            }
            io.run();
        } catch (...) { // of one connection, which is gone with it
            std::this_thread::sleep_for(pause_after_failure);
        }
    }
}

void Listener::accept()
{
    acceptor_.async_accept([this](const Error& error, Socket socket) {
        accepting_ = false;
        if (ended_) {
            return;
        }
        if (!error) {
            take(std::move(socket));
        } else if (!close_oldest()) { // the system may give fewer sockets than are allowed here
            std::this_thread::sleep_for(pause_after_failure);
        }
        accept();
    });
    accepting_ = true;
}

void Listener::take(Socket socket)
{
    if (!make_room()) {
        return;
    }
    Error ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    const auto connection = std::make_shared<Connection>(std::move(socket), service_);
    connections_.push_back(connection);
    connection->begin();
}

/// False where all are worked for.
bool Listener::make_room()
{
    connections_.erase(std::remove_if(connections_.begin(), connections_.end(),
                                      [](const std::weak_ptr<Connection>& one) {
                                          const auto there = one.lock();
                                          return !there ||
                                                 there->stage() == Connection::Stage::closed;
                                      }),
                       connections_.end());
    return connections_.size() < service_.limits.connections || close_oldest();
}

bool Listener::close_oldest()
{
    using Stage = Connection::Stage;
    // Who waits for our answer comes last.
    for (const Stage stage : {Stage::leaving, Stage::reading, Stage::writing}) {
        for (const std::weak_ptr<Connection>& one : connections_) {
            const auto there = one.lock();
            if (there && there->stage() == stage) {
                there->close();
                return true;
            }
        }
    }
    return false;
}

void Listener::end()
{
    ended_ = true;
    Error ignored;
    acceptor_.close(ignored);
    for (const std::weak_ptr<Connection>& one : connections_) {
        if (const auto there = one.lock()) {
            there->close();
        }
    }
}

} // namespace alxsim::program::http_server
