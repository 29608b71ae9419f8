// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/http/service.h"

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_static_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <string>

namespace alxsim::program::http_server {

/// The start line and all headers of a request. A browser's have some hundred bytes.
constexpr std::size_t most_head_bytes = std::size_t{16} << 10;

/// One request and its answer. All is done on the server's one thread, which waits for nobody, but
/// the work on the answer. Whatever goes wrong ends this connection and no other.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    enum class Stage {
        reading,   ///< the request is not whole
        answering, ///< it is worked on
        writing,   ///< the answer is sent
        leaving,   ///< the other side reads it, and hangs up
        closed,
    };

    Connection(Socket socket, Service& service);

    void begin();
    /// At once, whatever it is at; work for it is stopped.
    void close() noexcept;
    Stage stage() const { return stage_; }

private:
    /// What comes next, once something was read or written.
    using Step = void (Connection::*)(const Error&, std::size_t bytes);
    auto then(Step step);
    template <class Work>
    void guarded(const Work& work) noexcept;
    void give_up() noexcept;
    void close_after(std::chrono::milliseconds time);

    void read();
    void came(const Error& error, std::size_t bytes);
    void parse();
    bool let_in();
    void told_to_go_on(const Error& error, std::size_t bytes);

    void ask();
    void work(const Question& question) noexcept;
    Answer worked_out(const Question& question) const;
    bool hand_over() noexcept;

    void refuse(Answer answer);
    void give(Answer answer);
    void given(const Error& error, std::size_t bytes);

    Socket socket_;
    Service& service_;
    asio::steady_timer timer_;
    Stage stage_ = Stage::reading;
    boost::beast::flat_static_buffer<most_head_bytes> received_; ///< takes no memory but its own
    boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
    bool let_in_ = false;
    bool posted_ = false;
    std::string name_; ///< of what is asked for
    Answer answer_;    ///< from the thread that worked it out
    std::string head_; ///< of the answer, while it is sent
    std::string body_;
    std::atomic<bool> gone_{false}; ///< nobody waits for the answer
};

} // namespace alxsim::program::http_server
