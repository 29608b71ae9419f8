// SPDX-License-Identifier: Apache-2.0
#include "tests/temporary_folder.h"
#include "tests/unit/offload/store/stores.h"
#include "workloads/offload/store/store_file.h"

#include "base/input_error.h"
#include "base/numbers/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace alxsim::offload {
namespace {

/// Sizes below, at and above a block, a page and several blocks.
std::vector<StoredTensor> odd_tensors()
{
    std::vector<StoredTensor> tensors;
    for (const std::size_t bytes : {1, 511, 512, 4096, 4097, 12345, 65536, 65537, 300001}) {
        tensors.push_back({"tensor of " + std::to_string(bytes), bytes});
    }
    return tensors;
}

/// What a store must hold after the calls that a seed draws, held against it as it goes on.
class DrawnCalls {
public:
    DrawnCalls(const std::string& path, const StoreLayout& layout, const StoreOptions& options)
        : path_(path),
          layout_(layout),
          options_(options),
          now_(layout.count(), -1),
          committed_(now_)
    {
        open();
    }

    void run(int calls)
    {
        SplitMix64 random(7);
        for (int call = 0; call < calls; ++call) {
            const int tensor = static_cast<int>(random.below(layout_.count()));
            switch (random.below(8)) {
            case 0:
                store_->commit(call);
                committed_ = now_;
                last_ = call;
                break;
            case 1:
                open();
                break;
            case 2:
            case 3:
            case 4:
                check(tensor);
                break;
            default:
                write(tensor, call);
            }
        }
        for (int tensor = 0; tensor < layout_.count(); ++tensor) {
            check(tensor);
        }
    }

private:
    void open()
    {
        store_.reset(); // before it is opened again
        store_ = std::make_unique<TensorStore>(path_, layout_, options_);
        EXPECT_EQ(store_->step(), last_);
        now_ = committed_;
    }
    void write(int tensor, int call)
    {
        const AlignedBytes bytes = bytes_of(tensor, call, layout_.tensor(tensor).bytes);
        store_->write(tensor, bytes.data(), bytes.size()).get();
        now_[tensor] = call;
    }
    void check(int tensor)
    {
        const AlignedBytes found = read_tensor(*store_, tensor);
        EXPECT_TRUE(equal(found, bytes_of(tensor, now_[tensor], found.size())))
            << layout_.tensor(tensor).name;
    }

    std::string path_;
    const StoreLayout& layout_;
    StoreOptions options_;
    std::vector<int> now_; ///< of each tensor: the call that wrote it
    std::vector<int> committed_;
    std::optional<std::int64_t> last_;
    std::unique_ptr<TensorStore> store_;
};

class StoreOfBlocks : public testing::TestWithParam<std::size_t> {};

TEST_P(StoreOfBlocks, GivesBackTheBitsOfTheLastWriteAndAfterOpeningOfTheLastCommit)
{
    const TemporaryFolder folder;
    const StoreLayout layout(odd_tensors(), GetParam());
    std::string content;
    for (const Way& way : ways()) {
        for (const int buffers : {1, 2, 4}) {
            SCOPED_TRACE(testing::Message() << way << ", " << buffers << " buffers");
            const std::string path = folder.path("store");
            create_store(path, layout);
            DrawnCalls(path, layout, options_of(way, buffers, 2 * buffers - 1)).run(40);
            const std::string found = file_content(path);
            EXPECT_TRUE(content.empty() || content == found) << "other bytes in the file";
            content = found;
            std::filesystem::remove(path);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Bytes, StoreOfBlocks, testing::Values(512, 1536, 4096, 262144));

TEST(TensorStore, TakesCallsOfManyThreadsAtOnce)
{
    const TemporaryFolder folder;
    std::vector<StoredTensor> tensors;
    for (int i = 0; i < 12; ++i) {
        tensors.push_back({"layer " + std::to_string(i), 20000});
    }
    const StoreLayout layout(tensors, 4096);
    for (const Way& way : ways()) {
        SCOPED_TRACE(testing::Message() << way);
        const std::string path = folder.path("store");
        create_store(path, layout);
        TensorStore store(path, layout, options_of(way, 2, 3));
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&, thread] {
                for (int tensor = thread; tensor < layout.count(); tensor += 4) {
                    for (int step = 0; step < 5; ++step) {
                        AlignedBytes bytes(layout.tensor(tensor).bytes);
                        const AlignedBytes next = bytes_of(tensor, step, bytes.size());
                        auto read = store.read(tensor, bytes.data(), bytes.size());
                        auto written = store.write(tensor, next.data(), next.size());
                        read.get();
                        written.get();
                        EXPECT_TRUE(equal(bytes, bytes_of(tensor, step - 1, bytes.size())));
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        store.commit(4);
        EXPECT_EQ(first_not_of_step(store, 4), -1);
        std::filesystem::remove(path);
    }
}

TEST(TensorStore, TellsWhoKeepsBlocksInFlightAndWhy)
{
    const TemporaryFolder folder;
    const StoreLayout pages({{"w", 100}}, 4096);
    const StoreLayout sectors({{"w", 100}}, 512);
    create_store(folder.path("pages"), pages);
    create_store(folder.path("sectors"), sectors);
    for (const Way& way : ways()) {
        const TensorStore store(folder.path("pages"), pages, options_of(way));
        EXPECT_EQ(store.io_engine(), way.engine);
        EXPECT_EQ(store.why_not_io_uring(), "");
        EXPECT_TRUE(!store.is_direct() || way.path == IoPath::user);
        EXPECT_EQ(store.is_direct() || way.path == IoPath::kernel, store.why_not_direct().empty());
    }
    const TensorStore chosen(folder.path("pages"), pages, {});
    EXPECT_EQ(chosen.io_engine() == IoEngine::io_uring, chosen.why_not_io_uring().empty());
    const TensorStore store(folder.path("sectors"), sectors, {});
    EXPECT_FALSE(store.is_direct());
    EXPECT_THAT(store.why_not_direct(), testing::HasSubstr("no whole pages"));
}

TEST(TensorStore, RefusesWhatNoStoreIs)
{
    EXPECT_THROW(StoreLayout({}, 512), std::invalid_argument);
    EXPECT_THROW(StoreLayout({{"w", 1}}, 100), std::invalid_argument);
    EXPECT_THROW(StoreLayout({{"w", 1}, {"w", 2}}, 512), std::invalid_argument);
    EXPECT_THROW(StoreLayout({{"w", 0}}, 512), std::invalid_argument);
    const TemporaryFolder folder;
    const StoreLayout layout({{"w", 8192}}, 4096);
    const std::string path = folder.path("store");
    EXPECT_THROW(TensorStore(path, layout, {}), InputError);
    create_store(path, layout);
    EXPECT_THROW(create_store(path, layout), std::runtime_error); // what is there is not touched
    StoreOptions options;
    options.buffers = 0;
    EXPECT_THROW(TensorStore(path, layout, options), std::invalid_argument);
    TensorStore store(path, layout, {});
    AlignedBytes bytes(8193);
    EXPECT_THROW(store.read(0, bytes.data(), 8193), std::invalid_argument);
    EXPECT_THROW(store.read(0, bytes.data() + 1, 8192), std::invalid_argument);
    EXPECT_THROW(store.read(1, bytes.data(), 8192), std::invalid_argument);
    EXPECT_THROW(store.commit(-1), std::invalid_argument);
    EXPECT_THROW(TensorStore(path, layout, {}), InputError); // in use
}

} // namespace
} // namespace alxsim::offload
