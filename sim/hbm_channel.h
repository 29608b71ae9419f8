// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/dram_channel.h"
#include "sim/dram_time.h"
#include "sim/observe/statistics.h"
#include "sim/own_process.h"
#include "topologies/hbm_spec.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

namespace alxsim::sim {

/// An HBM channel as a TLM-2.0 target: times only, no data. Non-blocking, in the four phases of the
/// base protocol:
///   BEGIN_REQ   a burst is offered, at a rising edge of the channel's clock (DramTime)
///   END_REQ     the transaction queue has taken it: at once, or when there is room
///   BEGIN_RESP  its last byte has crossed the data bus: sent ahead, annotated with that time
///   END_RESP    the initiator's answer to that, TLM_COMPLETED
/// One process, which sleeps until the next command is legal.
class HbmChannel : public sc_core::sc_module, public StatisticsSource {
public:
    HbmChannel(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec);

    tlm_utils::simple_target_socket<HbmChannel> socket;

    void declare_statistics(Statistics& statistics) const override;

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void step();
    bool can_take() const;
    void take(tlm::tlm_generic_payload& burst);
    void take_offered();
    void issue();
    void arm();

    const topologies::HbmSpec& spec_;
    DramTime time_;
    model::DramChannel channel_;
    tlm::tlm_generic_payload* offered_ = nullptr; ///< begun, and not yet taken
    model::DramClock clock_ = 0;                  ///< at which `wake_` comes
    bool issues_ = false;                         ///< for a command, or for a request
    std::vector<model::DramDone> done_;
    sc_core::sc_event wake_;
    OwnProcess process_;
};

} // namespace alxsim::sim
