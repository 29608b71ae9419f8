// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/http/limits.h"
#include "program/serve/http/question.h"
#include "program/serve/playground.h"

#include <memory>
#include <string>

namespace alxsim::program {

/// Serves answers, a playground's page and what it asks for, to the browsers of this machine
/// (127.0.0.1) that know the address: HTTP/1.1, one request a connection.
class PageServer {
public:
    /// Listens from now on. `port` 0: any that is free. Throws InputError for one that is taken.
    PageServer(Answers answers, int port, const ServerLimits& limits = {});
    PageServer(Playground& playground, int port, const ServerLimits& limits = {});
    /// Stops: work on answers is stopped, too, and waited for.
    ~PageServer();
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;

    /// "http://127.0.0.1:PORT/TOKEN/"
    std::string address() const;

private:
    struct Server;
    std::unique_ptr<Server> server_;
};

} // namespace alxsim::program
