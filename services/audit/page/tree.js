/** The Merkle tree of RFC 6962: roots, and proofs that a leaf lies under one. */

import { areSame, u8 } from "./bytes.js";
import { sha256 } from "./sha256.js";

const LEAF = u8(0);
const NODE = u8(1);

export function leafOf(bytes) {
  return sha256(LEAF, bytes);
}

export function nodeOf(left, right) {
  return sha256(NODE, left, right);
}

export function emptyRoot() {
  return sha256();
}

/** The root over leaf hashes: equal neighbours are joined as soon as they stand, the rest from the right. */
export function rootOf(leaves) {
  const peaks = [];
  leaves.forEach((leaf, index) => {
    let node = leaf;
    for (let place = index; place & 1; place >>= 1) node = nodeOf(peaks.pop(), node);
    peaks.push(node);
  });
  return peaks.length ? peaks.reduceRight((right, left) => nodeOf(left, right)) : emptyRoot();
}

/** Whether the hashes lead from leaf `index` to the root over `size` leaves (RFC 9162, 2.1.3.2); both are BigInt. */
export function isIncluded({ leaf, index, size, hashes, root }) {
  if (index >= size) return false;
  let place = index;
  let last = size - 1n;
  let node = leaf;
  for (const hash of hashes) {
    if (last === 0n) return false;
    if (place & 1n || place === last) {
      node = nodeOf(hash, node);
      while (!(place & 1n) && place) {
        place >>= 1n;
        last >>= 1n;
      }
    } else {
      node = nodeOf(node, hash);
    }
    place >>= 1n;
    last >>= 1n;
  }
  return last === 0n && areSame(node, root);
}
