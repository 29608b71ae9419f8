// SPDX-License-Identifier: Apache-2.0
#include "topologies/memory_tier.h"

#include "topologies/machine.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::topologies {

std::string_view name_of(Tier tier)
{
    switch (tier) {
    case Tier::vmem:
        return "vmem";
    case Tier::hbm:
        return "hbm";
    case Tier::host:
        return "host";
    case Tier::storage:
        return "storage";
    }
    throw std::logic_error("unknown memory tier");
}

namespace {

std::optional<DataPath> path_of_storage(const StorageSpec& storage, Tier from, Tier to,
                                        StorageIo io)
{
    const StorageRates& rates = storage.by(io);
    if (from == Tier::storage && to == Tier::host) {
        return DataPath{from, to, rates.read_bytes_per_second, storage.read_latency,
                        SharedBy::host};
    }
    if (from == Tier::host && to == Tier::storage) {
        return DataPath{from, to, rates.write_bytes_per_second, storage.write_latency,
                        SharedBy::host};
    }
    return std::nullopt;
}

} // namespace

MemoryTier memory_tier(const Machine& machine, Tier tier)
{
    const DeviceSpec& device = machine.device;
    switch (tier) {
    case Tier::vmem:
        return {tier, device.vmem, device.vmem_bytes_per_second, SharedBy::device};
    case Tier::hbm:
        return {tier, device.hbm * machine.devices_per_chip, device.hbm_chip_bytes_per_second,
                SharedBy::chip};
    case Tier::host:
        return {tier, machine.host.dram, machine.host.dram_bytes_per_second, SharedBy::host};
    case Tier::storage:
        return {tier, machine.host.storage.capacity, 0, SharedBy::host};
    }
    throw std::logic_error("unknown memory tier");
}

std::optional<DataPath> data_path(const Machine& machine, Tier from, Tier to, StorageIo io)
{
    if (from == Tier::storage || to == Tier::storage) {
        return path_of_storage(machine.host.storage, from, to, io);
    }
    if (from == Tier::host && to == Tier::host) {
        return DataPath{from, to, machine.host.dram_bytes_per_second, Seconds(0), SharedBy::host};
    }
    const bool at_hbm = from == Tier::hbm || to == Tier::hbm;
    if (!at_hbm) {
        return std::nullopt;
    }
    const Seconds latency = machine.device.dma_latency;
    if (from == Tier::host || to == Tier::host) {
        return DataPath{from, to, machine.host.pcie_bytes_per_second_per_chip, latency,
                        SharedBy::chip};
    }
    return DataPath{from, to, machine.device.dma_bytes_per_second, latency, SharedBy::device};
}

int devices_sharing(const Machine& machine, SharedBy shared_by)
{
    switch (shared_by) {
    case SharedBy::device:
        return 1;
    case SharedBy::chip:
        return machine.devices_per_chip;
    case SharedBy::host:
        return machine.devices_per_chip * machine.host.chips_per_host;
    }
    throw std::logic_error("unknown sharing of a memory");
}

Bytes device_capacity(const Machine& machine, Tier tier)
{
    const MemoryTier memory = memory_tier(machine, tier);
    return memory.capacity / devices_sharing(machine, memory.shared_by);
}

double device_bytes_per_second(const Machine& machine, const DataPath& path)
{
    double rate = path.bytes_per_second / devices_sharing(machine, path.shared_by);
    for (const Tier end : {path.from, path.to}) {
        const MemoryTier memory = memory_tier(machine, end);
        if (memory.bytes_per_second > 0) {
            rate = std::min(rate,
                            memory.bytes_per_second / devices_sharing(machine, memory.shared_by));
        }
    }
    return rate;
}

} // namespace alxsim::topologies
