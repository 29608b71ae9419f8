// SPDX-License-Identifier: Apache-2.0
#include "base/inputs/sha256.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

/// The examples of NIST's "SHA-256" (csrc.nist.gov, example values), in base64; the last by
/// openssl: what is padded to another block.
TEST(Sha256, IsThatOfFips180)
{
    EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    EXPECT_EQ(sha256_base64("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
    EXPECT_EQ(sha256_base64(std::string(1000000, 'a')),
              "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
}

TEST(Sha256, OfPiecesIsThatOfTheWhole)
{
    const std::string whole(1000, 'a');
    Sha256 at_once;
    at_once.add(whole);
    const std::string digest = sha256_hex(at_once);
    for (const std::size_t piece : {1U, 63U, 64U, 65U, 999U}) {
        Sha256 in_pieces;
        for (std::size_t begin = 0; begin < whole.size(); begin += piece) {
            in_pieces.add(std::string_view(whole).substr(begin, piece));
        }
        EXPECT_EQ(sha256_hex(in_pieces), digest) << piece;
    }
    Sha256 abc;
    abc.add("abc");
    EXPECT_EQ(sha256_hex(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

} // namespace
} // namespace alxsim
