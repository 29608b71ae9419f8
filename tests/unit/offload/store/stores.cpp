// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/offload/store/stores.h"

#include "base/numbers/random.h"
#include "workloads/offload/store/block_engine.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace alxsim::offload {

std::ostream& operator<<(std::ostream& stream, const Way& way)
{
    return stream << (way.path == IoPath::kernel ? "kernel" : "user") << " path, "
                  << (way.engine == IoEngine::threads ? "threads" : "io_uring");
}

std::vector<Way> ways()
{
    std::vector<Way> all{{IoPath::kernel, IoEngine::threads}, {IoPath::user, IoEngine::threads}};
    std::string why_not;
    if (make_io_uring_engine(1, why_not) != nullptr) {
        all.push_back({IoPath::kernel, IoEngine::io_uring});
        all.push_back({IoPath::user, IoEngine::io_uring});
    }
    return all;
}

StoreOptions options_of(const Way& way, int buffers, int queue_depth)
{
    return {queue_depth, buffers, way.path, way.engine};
}

AlignedBytes bytes_of(int tensor, std::int64_t step, std::size_t size)
{
    AlignedBytes bytes(size);
    if (step >= 0) {
        SplitMix64 random(mix64(tensor) ^ static_cast<std::uint64_t>(step));
        for (std::size_t i = 0; i < size; ++i) {
            bytes.data()[i] = static_cast<char>(random.next());
        }
    }
    return bytes;
}

bool equal(const AlignedBytes& left, const AlignedBytes& right)
{
    return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size()) == 0;
}

void write_step(TensorStore& store, std::int64_t step)
{
    std::vector<AlignedBytes> memory;
    std::vector<PendingTransfer> written;
    for (int tensor = 0; tensor < store.layout().count(); ++tensor) {
        memory.push_back(bytes_of(tensor, step, store.layout().tensor(tensor).bytes));
        written.push_back(store.write(tensor, memory.back().data(), memory.back().size()));
    }
    for (PendingTransfer& one : written) {
        one.wait();
    }
    for (PendingTransfer& one : written) {
        one.get();
    }
}

AlignedBytes read_tensor(TensorStore& store, int tensor)
{
    AlignedBytes bytes(store.layout().tensor(tensor).bytes);
    store.read(tensor, bytes.data(), bytes.size()).get();
    return bytes;
}

int first_not_of_step(TensorStore& store, std::int64_t step)
{
    for (int tensor = 0; tensor < store.layout().count(); ++tensor) {
        const AlignedBytes found = read_tensor(store, tensor);
        if (!equal(found, bytes_of(tensor, step, found.size()))) {
            return tensor;
        }
    }
    return -1;
}

std::string file_content(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace alxsim::offload
