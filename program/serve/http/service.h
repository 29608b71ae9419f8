// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/http/gate.h"
#include "program/serve/http/limits.h"
#include "program/serve/http/question.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>

namespace alxsim::program::http_server {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using Socket = asio::ip::tcp::socket;

/// What all connections of a server share.
struct Service {
    Service(Gate the_gate, Answers the_answers, const ServerLimits& the_limits)
        : gate(std::move(the_gate)),
          answers(std::move(the_answers)),
          limits(the_limits),
          workers(the_limits.answers)
    {
    }

    const Gate gate;
    const Answers answers;
    const ServerLimits limits;
    std::atomic<bool> ending{false}; ///< no answer is wanted any more
    asio::thread_pool workers;
};

} // namespace alxsim::program::http_server
