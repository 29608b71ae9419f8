// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator.h"

#include "base/input_error.h"
#include "model/costs/op_cost.h"
#include "sim/observe/observers.h"
#include "sim/observe/recorder.h"
#include "sim/one_chip.h"
#include "sim/slice.h"
#include "sim/step_feed.h"
#include "sim/stop_watcher.h"

#include <atomic>
#include <stdexcept>
#include <utility>

namespace alxsim::sim {

namespace {

/// SystemC has one current context in a process, whatever the thread.
std::atomic<bool> simulating{false};

[[noreturn]] void refuse_second()
{
    throw InputError("a Simulator: found while another simulates; allowed: one at a time in a "
                     "process (several processes may)");
}

/// While a simulation runs.
class Turn {
public:
    Turn()
    {
        if (simulating.exchange(true)) {
            refuse_second();
        }
    }
    ~Turn() { simulating = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
};

} // namespace

/// A fresh SystemC context while it lives; the one before is put back after.
struct Simulator::Context {
    Context() : previous(sc_core::sc_curr_simcontext)
    {
        if (simulating) { // its context must stay the current one
            refuse_second();
        }
        fresh = std::make_unique<sc_core::sc_simcontext>();
        sc_core::sc_curr_simcontext = fresh.get();
    }
    /// Throws InputError unless it may be used, for the first time and now.
    void begin()
    {
        if (std::exchange(has_run, true)) {
            throw InputError("Simulator::run(): found a second call; allowed: one, and a Simulator "
                             "for each job");
        }
        if (sc_core::sc_curr_simcontext != fresh.get()) {
            throw InputError("Simulator::run(): found a Simulator that was made later and is still "
                             "there; allowed: one after another");
        }
    }
    ~Context() { sc_core::sc_curr_simcontext = previous; }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    sc_core::sc_simcontext* previous;
    std::unique_ptr<sc_core::sc_simcontext> fresh;
    bool has_run = false;
};

namespace {

/// The first modules of a simulation, that end before all others: SystemC looks for a module that
/// ends from the first one on, and puts the last one in its place. In the place of one goes the
/// module that SystemC itself has added last; all others, which end in reverse, are then found in
/// the place of the other at once, and not in a time that grows with the square of their number.
struct FirstModules {
    struct Module : sc_core::sc_module {
        explicit Module(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
    };
    Module first{"first"};
    Module second{"second"};
};

void check_all_finished(const Slice& slice)
{
    for (const auto& chip : slice.chips()) {
        for (const auto& core : chip->cores()) {
            if (!core->finished()) {
                throw std::runtime_error(std::string("deadlock: ") + core->name() +
                                         " waits for ever for " + core->waiting_for());
            }
        }
    }
}

SimulationResult collect(const Slice& slice, const Recorder& recorder, double straggling)
{
    SimulationResult result;
    for (EpochTiming epoch : recorder.epochs()) {
        epoch.breakdown = model::with_waiting(std::move(epoch.breakdown), straggling);
        result.epochs.push_back(std::move(epoch));
    }
    result.network = slice.network().use();
    slice.declare_statistics(result.statistics);
    recorder.declare_statistics(result.statistics);
    if (!result.epochs.empty() && result.network.links > 0) {
        result.link_utilisation = result.network.link_busy / result.epochs.back().finish /
                                  static_cast<double>(result.network.links);
    }
    return result;
}

} // namespace

Simulator::Simulator(const topologies::Machine& machine, SimulatorOptions options)
    : context_(std::make_unique<Context>()),
      machine_(machine),
      options_(options)
{
}

Simulator::~Simulator() = default;

SimulationResult Simulator::run(model::StepSource& source)
{
    const Turn turn;
    context_->begin();
    if (options_.one_chip && !has_chips_alike(machine_)) {
        throw ChipsDiffer();
    }
    const topologies::Machine simulated = options_.one_chip ? chips_that_tell(machine_) : machine_;
    StepFeed feed(source, machine_, simulated.devices);
    bool much_is_kept = false;
    Recorder recorder(
        [&] {
            much_is_kept = true;
            sc_core::sc_pause();
        },
        simulated.devices);
    Observers observers(simulated.devices);
    observers.attach(recorder);
    for (Observer* observer : attached_) {
        observers.attach(*observer);
    }
    auto first = std::make_unique<FirstModules>();
    const Slice slice("slice", simulated, feed, observers, options_);
    const std::unique_ptr<FirstModules> ends_before_the_slice = std::move(first);
    StopWatcher stop;
    sc_core::sc_start();
    while (std::exchange(much_is_kept, false)) {
        recorder.forget_all_but(slice.live_activities());
        stop.rethrow();
        sc_core::sc_start();
    }
    stop.rethrow();
    feed.rethrow_failure();
    slice.loops().rethrow_failure();
    slice.network().rethrow_failure();
    check_all_finished(slice);
    return collect(slice, recorder, model::straggling_of(machine_));
}

} // namespace alxsim::sim
