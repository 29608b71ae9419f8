// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/hbm_access.h"
#include "sim/dram_time.h"
#include "sim/observe/statistics.h"
#include "sim/own_process.h"

#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

namespace alxsim::sim {

/// What moves bytes between the HBM of a chip and its devices, as a TLM-2.0 initiator of all
/// channels. A transfer is split into bursts in its own order, and keeps so many offered to the
/// channels and not yet taken; at each channel the transfers take turns. A transfer's bursts go
/// out at no more than the rate of one device's DMA engines: the n-th not before its n-th share of
/// time. Payloads are pooled: nothing is allocated per burst.
class DmaEngine : public sc_core::sc_module, public StatisticsSource, public tlm::tlm_mm_interface {
public:
    DmaEngine(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec,
              double bytes_per_second);

    /// One for each channel.
    sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<DmaEngine>> channels;

    /// Calls `done` when the last byte has moved.
    void transfer(const model::HbmAccess& access, std::function<void()> done);
    bool idle() const { return transfers_under_way_ == 0; }
    void declare_statistics(Statistics& statistics) const override;

private:
    struct Offered {
        std::int64_t address = 0;
        bool write = false;
    };
    struct Transfer {
        std::unique_ptr<model::BurstStream> bursts; ///< null: the place is free
        std::function<void()> done;
        std::vector<std::deque<Offered>> offered; ///< to each channel, not yet begun
        int window = 0;                           ///< bursts not yet taken by their channel
        std::int64_t under_way = 0;               ///< bursts without response
        bool exhausted = false;
        double next_at = 0; ///< picoseconds: earliest time of the next burst
        Picoseconds last_byte{0};

        bool over() const { return exhausted && under_way == 0; }
    };
    struct Burst : tlm::tlm_generic_payload {
        explicit Burst(tlm::tlm_mm_interface* pool) : tlm::tlm_generic_payload(pool) {}
        std::size_t transfer = 0;
    };
    struct Channel {
        bool requesting = false; ///< between BEGIN_REQ and END_REQ
        std::size_t turn = 0;    ///< transfer that is asked first
    };

    tlm::tlm_sync_enum nb_transport_bw(int channel, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void free(tlm::tlm_generic_payload* burst) override;
    void run();
    void finish_transfers();
    void feed();
    void fill(Transfer& transfer);
    void offer(std::size_t channel);
    void responded(Burst& burst, Picoseconds at);
    Burst& begin(std::size_t channel, std::size_t transfer);
    std::size_t free_place();

    const topologies::HbmSpec& spec_;
    DramTime time_;
    double burst_time_; ///< picoseconds at the rate of the engines; 0: no slower than the memory
    int window_;
    std::vector<Transfer> transfers_;
    int transfers_under_way_ = 0;
    std::int64_t transfers_begun_ = 0;
    std::int64_t bursts_begun_ = 0;
    std::vector<Channel> at_;
    std::vector<std::size_t> to_offer_; ///< channels that something has become ready for
    bool feeding_ = false;
    std::vector<std::unique_ptr<Burst>> bursts_;
    std::vector<Burst*> spare_bursts_;
    sc_core::sc_event wake_;
    OwnProcess process_;
};

} // namespace alxsim::sim
