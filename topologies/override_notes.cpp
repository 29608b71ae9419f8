// SPDX-License-Identifier: Apache-2.0
#include "topologies/override_notes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace alxsim::topologies {
namespace {

/// Values that are there to be read by people, and what counts in their place; "" for nothing.
struct ReadByNobody {
    const char* key;
    const char* instead;
};

constexpr std::array<ReadByNobody, 47> read_by_nobody{
    {{"hbm_bw_effective_chip", "hbm_bw_chip and the timing of the banks"},
     {"hbm_bw_measured_chip", "hbm_bw_chip and the timing of the banks"},
     {"ici_link_bw_measured", "ici_link_bw_oneway and ici_link_bw_effective_frac"},
     {"ici_ppermute_fixed_s", "collective_launch_s and ici_hop_latency_s"},
     {"d2d_bw_vs_1d_ici", "ici_core_to_core_on_chip_bw_oneway"},
     {"vmem_bw_core", "vmem_load_bw_core"},
     {"vmem_vreg_loads_per_cycle", "vmem_load_bw_core"},
     {"vmem_vreg_stores_per_cycle", "vmem_load_bw_core"},
     {"vmem_ports_assumed", "vmem_load_bw_core"},
     {"dma_stride_granularity_bytes", "hbm_access_granule_bytes"},
     {"sc_dma_granule_bytes", "sparsecore_gather_row_s"},
     {"sc_tiles", "sparsecore_gather_row_s"},
     {"sc_lanes", "sparsecore_gather_row_s"},
     {"sc_tile_vmem_bytes", "sparsecore_gather_row_s"},
     {"xlu_per_core", "xlu_lane_reduction_cycles"},
     {"pcie", "pcie_bw_chip_oneway"},
     {"ici_links", "slice_shapes_chips"},
     {"topology", "slice_shapes_chips"},
     {"twisted_torus", "twisted_ok"},
     {"tdp_w", "power_w_min_mean_max"},
     {"idle_w", "power_w_min_mean_max"},
     {"avg_w", "power_w_min_mean_max"},
     {"system_power_w_per_chip", "power_w_min_mean_max"},
     {"mxu_accumulators", ""},
     {"peak_fp8_flops_chip", ""},
     {"peak_int8_ops_chip", ""},
     {"peak_int4_ops_chip", ""},
     {"native_matmul_input", ""},
     {"vpu_latency_cycles", ""},
     {"vregs", ""},
     {"vliw_slots", ""},
     {"cmem_bytes_chip", ""},
     {"smem_bytes_core", ""},
     {"hbm_type", ""},
     {"ici_link_layer", ""},
     {"max_job_shape", ""},
     {"max_cubes", ""},
     {"multipod", ""},
     {"pod_allreduce_bw", ""},
     {"pod_bisection_bw", ""},
     {"ocs_per_pod", ""},
     {"ocs_reconfig_s", ""},
     {"chips_per_board", ""},
     {"tray_ring_order_cores", ""},
     {"nic_bw_host", ""},
     {"pod_dcn_bw", ""},
     {"rdma_limit", ""}}};

/// Values of the data center network.
constexpr std::array<const char*, 2> between_slices{"dcn_bw_chip", "dcn_latency_s"};

class Notes {
public:
    explicit Notes(const Machine& machine) : machine_(machine) {}

    std::vector<std::string> all()
    {
        for (const ReadByNobody& value : read_by_nobody) {
            add_unread(value);
        }
        if (overridden("peak_bf16_flops_chip")) {
            add("peak_bf16_flops_chip", "changes nothing but MFU, which is relative to it: times "
                                        "follow macs_per_cycle_chip and clock_hz");
        }
        for (const char* key : between_slices) {
            if (overridden(key) && !concerns(key, machine_.slice)) {
                add(key, "changes nothing: the job is on one slice (machine.slices)");
            }
        }
        add_streams();
        add_gathers();
        return std::move(notes_);
    }

private:
    bool overridden(const std::string& key) const
    {
        return machine_.preset.has(key) && machine_.preset.at(key).kind == "overridden";
    }

    /// "dma_bw_core (7.29e+11 B/s, assumed)".
    std::string told(const std::string& key) const
    {
        const PresetValue& value = machine_.preset.at(key);
        return key + " (" + printed(value.value.get<double>()) + " " + value.unit + ", " +
               value.kind + ")";
    }

    static std::string printed(double number)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", number);
        return text;
    }

    void add(const std::string& key, const std::string& why)
    {
        notes_.push_back("the override of " + key + " " + why);
    }

    void add_unread(const ReadByNobody& value)
    {
        if (overridden(value.key)) {
            const std::string instead = value.instead;
            add(value.key, "changes nothing: no model reads it" +
                               (instead.empty() ? std::string() : "; what counts is " + instead));
        }
    }

    /// A chip's cores stream at once; each has the rate of its DMA engines at most.
    void add_streams()
    {
        const double hbm = machine_.device.hbm_chip_bytes_per_second;
        const double dma = machine_.device.dma_bytes_per_second * machine_.devices_per_chip;
        if (overridden("hbm_bw_chip") && dma < hbm) {
            add("hbm_bw_chip", "to " + printed(hbm) + " B/s does not count in full: " +
                                   told("dma_bw_core") + " limits the cores of a chip to " +
                                   printed(dma) + " B/s together; override both");
        }
        if (overridden("dma_bw_core") && dma > hbm) {
            add("dma_bw_core", "does not count in full: the cores of a chip, which move up to " +
                                   printed(dma) + " B/s together, share " + told("hbm_bw_chip"));
        }
    }

    void add_gathers()
    {
        const bool sparse = machine_.device.sparsecore_gathers;
        const char* const idle = sparse ? "gather_row_s" : "sparsecore_gather_row_s";
        if (overridden(idle)) {
            add(idle, "changes nothing: by gather_engine it is the " +
                          std::string(sparse ? "SparseCore" : "TensorCore") + " that gathers, at " +
                          told(sparse ? "sparsecore_gather_row_s" : "gather_row_s"));
        }
        const double in_flight =
            machine_.device.dma_latency.count() / machine_.device.dma_outstanding;
        if (!sparse && overridden("gather_row_s") &&
            machine_.device.gather_row.count() < in_flight) {
            add("gather_row_s", "to " + printed(machine_.device.gather_row.count()) +
                                    " s does not count in full: " + told("dma_latency_s") +
                                    " over " + told("dma_outstanding") + " limits it to " +
                                    printed(in_flight) + " s a row");
        }
    }

    const Machine& machine_;
    std::vector<std::string> notes_;
};

} // namespace

bool concerns(const std::string& key, const Slice& slice)
{
    return slice.slices() > 1 ||
           std::find(between_slices.begin(), between_slices.end(), key) == between_slices.end();
}

std::vector<std::string> override_notes(const Machine& machine)
{
    return Notes(machine).all();
}

} // namespace alxsim::topologies
