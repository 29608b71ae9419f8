// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/playground.h"

#include <memory>
#include <string>

namespace alxsim::program {

/// Serves a playground's page to the browsers of this machine (127.0.0.1) that know the address.
class PageServer {
public:
    /// Listens from now on. `port` 0: any that is free. Throws InputError for one that is taken.
    PageServer(Playground& playground, int port);
    /// Stops: requests that are being answered are waited for.
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
