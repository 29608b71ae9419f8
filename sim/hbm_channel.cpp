// SPDX-License-Identifier: Apache-2.0
#include "sim/hbm_channel.h"

#include "model/hbm/hbm_access.h"
#include "sim/kernel_time.h"

namespace alxsim::sim {

HbmChannel::HbmChannel(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec)
    : sc_core::sc_module(name),
      socket("socket"),
      spec_(spec),
      time_(spec.clock_hz),
      channel_(spec)
{
    socket.register_nb_transport_fw(this, &HbmChannel::nb_transport_fw);
    SC_HAS_PROCESS(HbmChannel);
    SC_METHOD(step);
    sensitive << wake_;
    dont_initialize();
    process_.is_last_created();
}

tlm::tlm_sync_enum HbmChannel::nb_transport_fw(tlm::tlm_generic_payload& burst,
                                               tlm::tlm_phase& phase, sc_core::sc_time& /*delay*/)
{
    if (phase != tlm::BEGIN_REQ) {
        return tlm::TLM_COMPLETED;
    }
    if (!channel_.has_room(burst.is_write())) {
        offered_ = &burst;
        arm();
        return tlm::TLM_ACCEPTED;
    }
    take(burst);
    arm();
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void HbmChannel::take(tlm::tlm_generic_payload& burst)
{
    const auto address = static_cast<std::int64_t>(burst.get_address());
    model::DramRequest request = model::locate(address, burst.is_write(), spec_).request;
    request.tag = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&burst));
    channel_.accept(request, time_.from(now()));
}

void HbmChannel::step()
{
    if (issues_) {
        issue();
    } else {
        take_offered();
    }
    arm();
}

bool HbmChannel::can_take() const
{
    return offered_ != nullptr && channel_.has_room(offered_->is_write());
}

void HbmChannel::take_offered()
{
    while (can_take()) { // what is offered in return may be taken, too
        tlm::tlm_generic_payload& burst = *offered_;
        offered_ = nullptr;
        take(burst);
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        socket->nb_transport_bw(burst, phase, delay);
    }
}

void HbmChannel::issue()
{
    done_.clear();
    channel_.act(clock_, done_);
    for (const model::DramDone& done : done_) {
        auto* const burst =
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the tag is the burst's address
            reinterpret_cast<tlm::tlm_generic_payload*>(static_cast<std::intptr_t>(done.tag));
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = to_sc_time(time_.rising(done.clock) - now());
        burst->set_response_status(tlm::TLM_OK_RESPONSE);
        socket->nb_transport_bw(*burst, phase, delay);
    }
}

/// Room that a command made is used in the next clock.
void HbmChannel::arm()
{
    wake_.cancel();
    const model::DramClock next = time_.from(now() + Picoseconds(1));
    issues_ = !can_take() || channel_.next_action() < next;
    if (!issues_) {
        clock_ = next;
        notify_at(wake_, time_.rising(clock_));
    } else if (channel_.next_action() != model::never) {
        clock_ = channel_.next_action();
        notify_at(wake_, time_.falling(clock_));
    }
}

void HbmChannel::declare_statistics(Statistics& statistics) const
{
    statistics.declare("hbm_rows_opened", "DRAM rows that HBM's banks have opened.",
                       channel_.activates());
}

} // namespace alxsim::sim
