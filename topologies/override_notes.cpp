// SPDX-License-Identifier: Apache-2.0
#include "topologies/override_notes.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "topologies/preset_reader.h"

#include <algorithm>
#include <array>
#include <optional>

namespace alxsim::topologies {
namespace {

/// A value of a data sheet, and what the models read of the same thing. A hint for a note and no
/// more: that nothing reads the value is found out.
struct Counterpart {
    const char* key;
    const char* read;
};

constexpr std::array<Counterpart, 26> counterparts{
    {{"hbm_bw_effective_chip", "hbm_bw_chip and the timing of the banks"},
     {"hbm_bw_measured_chip", "hbm_bw_chip and the timing of the banks"},
     {"ici_link_bw_measured", "ici_link_bw_oneway and ici_link_bw_effective_frac"},
     {"ici_ppermute_fixed_s", "collective_launch_s and ici_hop_latency_s"},
     {"d2d_bw_vs_1d_ici", "ici_core_to_core_on_chip_bw_oneway"},
     {"vmem_bw_core", "vmem_load_bw_core"},
     {"vmem_vreg_stores_per_cycle", "vmem_load_bw_core"},
     {"vmem_ports_assumed", "vmem_load_bw_core"},
     {"dma_stride_granularity_bytes", "hbm_access_granule_bytes"},
     {"sc_dma_granule_bytes", "sparsecore_gather_row_s"},
     {"sc_tiles", "sparsecore_gather_row_s"},
     {"sc_lanes", "sparsecore_gather_row_s"},
     {"sc_tile_vmem_bytes", "sparsecore_gather_row_s"},
     {"xlu_per_core", "xlu_lane_reduction_cycles"},
     {"vpu_latency_cycles", "vpu_flops_chip"},
     {"pcie", "pcie_bw_chip_oneway"},
     {"peak_int8_ops_chip", "mxu_int8_rate"},
     {"peak_int4_ops_chip", "mxu_int4_rate"},
     {"peak_fp8_flops_chip", "mxu_fp8_e4m3_rate and mxu_fp8_e5m2_rate"},
     {"ici_links", "slice_shapes_chips"},
     {"topology", "slice_shapes_chips"},
     {"twisted_torus", "twisted_ok"},
     {"tdp_w", "power_w_min_mean_max"},
     {"idle_w", "power_w_min_mean_max"},
     {"avg_w", "power_w_min_mean_max"},
     {"system_power_w_per_chip", "power_w_min_mean_max"}}};

/// Values of the data center network, and of slices beside each other.
constexpr std::array<const char*, 4> between_slices{"dcn_bw_chip", "dcn_bw_effective_frac",
                                                    "dcn_latency_s", "step_skew_slices"};

/// The slice that `preset` makes of a shape; none where it refuses.
std::optional<Slice> slice_by(const Preset& preset, const Machine& machine)
{
    SliceRequest request;
    request.cores = machine.cores;
    request.shape = machine.slice.shape();
    request.slices = machine.slice.slices();
    request.twisted = machine.slice.twisted();
    try {
        return Slice::choose(preset, request);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

class Notes {
public:
    Notes(const Machine& machine, const PresetUse& use)
        : machine_(machine),
          preset_(machine.preset),
          use_(use),
          in_machine_(preset_.keys().size()),
          in_hbm_(preset_.keys().size()),
          in_slice_(preset_.keys().size()),
          also_(preset_.keys().size())
    {
        const Preset of_hbm = preset_.watched(in_hbm_);
        read_hbm(PresetReader(of_hbm));
        make_machine(preset_.watched(in_machine_), machine.slice);
        slice_by(preset_.watched(in_slice_), machine);
        if (use.also_read) {
            use.also_read(preset_.watched(also_));
        }
    }

    std::vector<std::string> all() const
    {
        std::vector<std::string> notes;
        for (const std::string& key : preset_.overridden_keys()) {
            const std::string why = note_of(key);
            if (!why.empty()) {
                notes.push_back("the override of " + key + " " + why);
            }
        }
        return notes;
    }

private:
    /// Empty where it counts in full.
    std::string note_of(const std::string& key) const
    {
        if (preset_.is_read(key, in_machine_)) {
            const std::string limit = what_limits(key);
            return limit.empty() ? what_stays(key) : limit;
        }
        if (preset_.is_read(key, in_slice_)) {
            return what_stays_of_slice(key);
        }
        if (preset_.is_read(key, also_)) {
            return "changes no time: it counts in " + use_.also_read_for + " alone";
        }
        return "changes nothing: " + why_unread(key);
    }

    std::string why_unread(const std::string& key) const
    {
        if (!concerns(key, machine_.slice)) {
            return "the job is on one slice (machine.slices)";
        }
        const bool sparse = machine_.device.sparsecore_gathers;
        if (leads_to(sparse ? "gather_row_s" : "sparsecore_gather_row_s", key)) {
            return who_gathers();
        }
        const auto other = std::find_if(counterparts.begin(), counterparts.end(),
                                        [&](const Counterpart& one) { return one.key == key; });
        return "no model reads it" + (other == counterparts.end()
                                          ? std::string()
                                          : "; what counts is " + std::string(other->read));
    }

    std::string who_gathers() const
    {
        const bool sparse = machine_.device.sparsecore_gathers;
        return "by gather_engine it is the " + std::string(sparse ? "SparseCore" : "TensorCore") +
               " that gathers, at " + told(sparse ? "sparsecore_gather_row_s" : "gather_row_s");
    }

    /// Whether `value` is of the preset, and is `key` or derived from it.
    bool leads_to(const std::string& value, const std::string& key) const
    {
        KeyReads reads(preset_.keys().size());
        if (preset_.has(value)) {
            preset_.watched(reads).at(value);
        }
        return preset_.is_read(key, reads);
    }

    /// Empty where the slice is another one without the override.
    std::string what_stays_of_slice(const std::string& key) const
    {
        const std::optional<Slice> with = slice_by(preset_, machine_);
        const std::optional<Slice> without = slice_by(preset_.without_override(key), machine_);
        if (!with || !without) {
            return "";
        }
        if (with->ici_axes() != machine_.slice.ici_axes()) {
            return "changes nothing: which axes wrap was asked for";
        }
        return with->ici_axes() == without->ici_axes()
                   ? "changes nothing: the slice is " + machine_.slice.words() + " without it, too"
                   : "";
    }

    /// A chip's cores stream at once; each has the rate of its DMA engines at most.
    std::string what_limits(const std::string& key) const
    {
        const double hbm = machine_.device.hbm_chip_bytes_per_second;
        const double dma = machine_.device.dma_bytes_per_second * machine_.devices_per_chip;
        if (key == "hbm_bw_chip" && dma < hbm) {
            return "to " + printed("%.4g", hbm) +
                   " B/s does not count in full: " + told("dma_bw_core") +
                   " limits the cores of a chip to " + printed("%.4g", dma) +
                   " B/s together; override both";
        }
        if (key == "dma_bw_core" && dma > hbm) {
            return "does not count in full: the cores of a chip, which move up to " +
                   printed("%.4g", dma) + " B/s together, share " + told("hbm_bw_chip");
        }
        if (key == "vmem_row_cycles" && !machine_.device.keeps_arrays_in_vmem) {
            return "changes nothing: no table stays in VMEM between ops (arrays_stay_in_vmem)";
        }
        const double in_flight = seconds_in_flight();
        if (key == "gather_row_s" && machine_.device.gather_row.count() < in_flight) {
            return "to " + printed("%.4g", machine_.device.gather_row.count()) +
                   " s does not count in full: " + told("dma_latency_s") + " over " +
                   told("dma_outstanding") + " limits it to " + printed("%.4g", in_flight) +
                   " s a row";
        }
        return "";
    }

    /// Whether the override is no change, as "x1" in a sweep over factors.
    bool sets_what_is_there(const std::string& key) const
    {
        const Preset without = preset_.without_override(key);
        return without.has(key) && without.at(key).value == preset_.at(key).value;
    }

    /// What a value changes that changes no time of the job; empty where that changes, or where
    /// nobody times one.
    std::string what_stays(const std::string& key) const
    {
        if (sets_what_is_there(key)) {
            return "";
        }
        const std::optional<Machine> without = machine_without(key);
        const bool of_idle_sparsecore = !machine_.device.sparsecore_gathers &&
                                        (key == "sparsecores" || key == "sparsecore_gather_row_s");
        if (!use_.same_time || !without) {
            return of_idle_sparsecore
                       ? "counts in ops that ask for the SparseCore (engine) alone: " +
                             who_gathers()
                       : "";
        }
        if (!use_.same_time(*without)) {
            return "";
        }
        if (of_idle_sparsecore) {
            return "changes nothing: " + who_gathers();
        }
        const DeviceSpec& here = machine_.device;
        const DeviceSpec& there = without->device;
        if (here.peak_bf16_flops != there.peak_bf16_flops) {
            return "changes nothing but MFU, which is relative to it: times follow "
                   "macs_per_cycle_chip and clock_hz";
        }
        if (here.hbm != there.hbm || here.usable_hbm != there.usable_hbm ||
            here.vmem != there.vmem || machine_.host.dram != without->host.dram) {
            return "changes no time of this job by the analytic model: it decides what fits";
        }
        if (preset_.is_read(key, in_hbm_)) {
            return "changes no time of this job by the analytic model: the banks of the HBM reach "
                   "the same rates without it";
        }
        const bool of_rows = key == "dma_outstanding" || key == "dma_requests_per_cycle_core";
        if (key == "sparsecores") {
            return "changes nothing as long as there are any; what counts is " +
                   told("sparsecore_gather_row_s");
        }
        if (of_rows && here.sparsecore_gathers) {
            return "changes no time of this job by the analytic model: SparseCores gather its "
                   "rows (gather_engine)";
        }
        if (of_rows && seconds_in_flight() < here.gather_row.count()) {
            return "changes no time of this job by the analytic model: a row that is gathered "
                   "takes "
                   "longer by " +
                   told("gather_row_s");
        }
        if (key == "gather_row_s" || key == "scatter_row_s") {
            return "changes no time of this job by the analytic model: it has no such rows, or the "
                   "banks of the HBM take longer for each";
        }
        const std::string path = what_limits_host(key);
        return "changes no time of this job by the analytic model: " +
               (path.empty() ? "no op of it takes longer or shorter" : path);
    }

    /// A copy to host memory takes the slower of a chip's PCIe and its share of the host's memory.
    std::string what_limits_host(const std::string& key) const
    {
        if (key.rfind("storage_", 0) == 0) {
            return "no bytes of it go to or from storage, or by another way (io), or something "
                   "else of that way or the host's memory holds them up longer";
        }
        const HostSpec& host = machine_.host;
        const double pcie = host.pcie_bytes_per_second_per_chip;
        const double share = host.dram_bytes_per_second / host.chips_per_host;
        if ((key == "host_dram_bw_host" || key == "chips_per_host") && share >= pcie) {
            return "a chip's share of its host's memory is not what limits it, but " +
                   told("pcie_bw_chip_oneway");
        }
        if (key == "pcie_bw_chip_oneway" && share > 0 && share <= pcie) {
            return "a chip's share of its host's memory limits it: " + told("host_dram_bw_host") +
                   " over " + told("chips_per_host");
        }
        return "";
    }

    /// Returns that of a row, where as many are under way as the DMA engines keep.
    double seconds_in_flight() const
    {
        return machine_.device.dma_latency.count() / machine_.device.dma_outstanding;
    }

    /// None where the other overrides do not go without this one.
    std::optional<Machine> machine_without(const std::string& key) const
    {
        try {
            Machine without = make_machine(preset_.without_override(key), machine_.slice);
            without.faults = machine_.faults;
            without.host.input = machine_.host.input;
            without.schedule = machine_.schedule;
            compile_with(machine_.compiler_flags, without);
            return without;
        } catch (const InputError&) {
            return std::nullopt;
        }
    }

    /// "dma_bw_core (7.29e+11 B/s, assumed)".
    std::string told(const std::string& key) const
    {
        const PresetValue& value = preset_.at(key);
        return key + " (" + printed("%.4g", value.value.get<double>()) + " " + value.unit + ", " +
               value.kind + ")";
    }

    const Machine& machine_;
    const Preset& preset_;
    const PresetUse& use_;
    KeyReads in_machine_; ///< read where a machine is made
    KeyReads in_hbm_;     ///< of these, read where its HBM is
    KeyReads in_slice_;   ///< read where a slice is chosen
    KeyReads also_;
};

} // namespace

bool concerns(const std::string& key, const Slice& slice)
{
    return slice.slices() > 1 ||
           std::find(between_slices.begin(), between_slices.end(), key) == between_slices.end();
}

std::vector<std::string> override_notes(const Machine& machine, const PresetUse& use)
{
    if (machine.preset.overridden_keys().empty()) {
        return {};
    }
    return Notes(machine, use).all();
}

} // namespace alxsim::topologies
