// SPDX-License-Identifier: Apache-2.0
#include "base/host_pool.h"
#include "experiments/runs/processes/child_process.h"
#include "program/commands/commands.h"
#include "program/serve/resources.h"
#include "program/serve/server.h"

#include <csignal>
#include <iostream>
#include <memory>
#include <semaphore.h>
#include <stdexcept>

namespace alxsim::program {

using namespace experiments;

namespace {

struct ServeRequest {
    std::string study;
    std::vector<std::string> settings;
    int port = 0;
    int threads = 0;
    double curve_seconds = PlaygroundOptions().curve_seconds;
};

sem_t end_wanted; ///< of a signal handler: all else may not be touched there
volatile std::sig_atomic_t signals = 0;

/// A second one, of whoever cannot wait, ends the program at once, as without us.
void note_end(int signal)
{
    signals = signals + 1;
    if (signals > 1) {
        std::signal(signal, SIG_DFL);
        raise(signal);
    }
    sem_post(&end_wanted);
}

/// From now on Ctrl-C, termination, or the end of the terminal are waited for.
void catch_end()
{
    sem_init(&end_wanted, 0, 0);
    struct sigaction action {};
    action.sa_handler = note_end;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(signal, &action, nullptr);
    }
}

void wait_for_end()
{
    while (sem_wait(&end_wanted) != 0) { // another signal came
    }
}

Study study_to_serve(const ServeRequest& request)
{
    if (!request.study.empty()) {
        return load_study(request.study, request.settings);
    }
    const std::string name = "serve/playground.json";
    return study_of(parse_json(serve::resources().get(name), name), "playground.json",
                    request.settings);
}

int serve_study(const ServeRequest& request)
{
    catch_end();
    Playground playground(study_to_serve(request),
                          {own_program(), request.threads > 0 ? request.threads : host_cores(),
                           request.curve_seconds});
    const PageServer server(playground, request.port);
    if (!(std::cout << server.address() << std::endl)) {
        throw std::runtime_error("cannot write the page's address to standard output");
    }
    std::cerr << "Open this address in a browser on this machine. Ctrl-C ends it.\n";
    wait_for_end();
    playground.end();
    return 0;
}

} // namespace

void add_serve(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "serve", "A page on this machine to play with a study: sliders, choices, live curves");
    auto request = std::make_shared<ServeRequest>();
    command->add_option("STUDY", request->study,
                        "The study file (default: WebGraph on v3 and GPT-2 on v5e)");
    command
        ->add_option("--set", request->settings,
                     "/json/pointer=value: changes the study first; repeatable")
        ->allow_extra_args(false);
    command->add_option("--port", request->port, "Port to listen on (default: any that is free)")
        ->check(CLI::Range(1, 65535));
    command
        ->add_option("--threads", request->threads,
                     "Host threads, and points confirmed at once (default: one per core)")
        ->check(CLI::Range(1, most_jobs));
    command
        ->add_option("--curve-seconds", request->curve_seconds,
                     "Longest time of an answer, which is then refused in words")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->footer(
        "\nPrints the page's address, with a random token; it is served to this machine alone\n"
        "(127.0.0.1). Curves are the analytic model's; the page's button runs them in SystemC.\n"
        "Nothing is written unless the page is asked to save a study beside STUDY. Ends with\n"
        "Ctrl-C or with the terminal.\n");
    command->callback([request, &action] { action = [request] { return serve_study(*request); }; });
}

} // namespace alxsim::program
