import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isConsistent, isIncluded, leafHash, MerkleTree } from "./merkle.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** The leaves and roots that implementations of Certificate Transparency share. */
const leaves = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((text) => Buffer.from(text, "hex"));
const roots = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

function treeOf(size: number): MerkleTree {
  const tree = new MerkleTree();
  for (let leaf = 0; leaf < size; leaf++) tree.append(leafHash(leaves[leaf] ?? Buffer.from(`leaf ${leaf}`)));
  return tree;
}

describe("the tree of RFC 6962", () => {
  it("has the known roots", () => {
    const tree = treeOf(8);
    expect(roots.map((_, index) => hex(tree.root(index + 1)))).toEqual(roots);
    expect(hex(new MerkleTree().root())).toBe(createHash("sha256").digest("hex"));
  });

  it("has the known proofs", () => {
    const tree = treeOf(8);
    expect(tree.inclusionProof(0, 8).map(hex)).toEqual([
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]);
    expect(tree.consistencyProof(6, 8).map(hex)).toEqual([
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]);
  });

  it("refuses to prove what it does not have", () => {
    const tree = treeOf(3);
    expect(() => tree.inclusionProof(3, 3)).toThrow(RangeError);
    expect(() => tree.inclusionProof(0, 4)).toThrow(RangeError);
    expect(() => tree.consistencyProof(3, 2)).toThrow(RangeError);
    expect(() => tree.consistencyProof(1.5, 2)).toThrow(RangeError);
  });
});

const sizes = fc.integer({ min: 1, max: 200 });
const whole = treeOf(200);
const headOf = (size: number) => ({ size, root: whole.root(size) });

describe("a proof", () => {
  it("of inclusion holds for its leaf, and for no other, no other size and no changed hash", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, chosen, changed) => {
        const index = chosen % size;
        const proof = whole.inclusionProof(index, size);
        expect(isIncluded(whole.leaf(index), index, headOf(size), proof)).toBe(true);
        const other = changed % size;
        if (other !== index) expect(isIncluded(whole.leaf(index), other, headOf(size), proof)).toBe(false);
        expect(isIncluded(whole.leaf((index + 1) % 200), index, headOf(size), proof)).toBe(false);
        expect(isIncluded(whole.leaf(index), index, headOf(size), [...proof, whole.root(1)])).toBe(false);
        if (proof.length === 0) return;
        const broken = proof.with(changed % proof.length, whole.root(199));
        expect(isIncluded(whole.leaf(index), index, headOf(size), broken)).toBe(false);
        expect(isIncluded(whole.leaf(index), index, headOf(size), proof.slice(1))).toBe(false);
      }),
    );
  });

  it("of consistency holds for the two trees, and not where one leaf of the first was another", () => {
    fc.assert(
      fc.property(sizes, sizes, fc.nat(), (one, other, changed) => {
        const [first, second] = [Math.min(one, other), Math.max(one, other)];
        const proof = whole.consistencyProof(first, second);
        expect(isConsistent(headOf(first), headOf(second), proof)).toBe(true);
        const rewritten = new MerkleTree();
        for (let leaf = 0; leaf < first; leaf++)
          rewritten.append(leaf === changed % first ? leafHash(Buffer.from("rewritten")) : whole.leaf(leaf));
        const old = { size: first, root: rewritten.root() };
        expect(isConsistent(old, headOf(second), proof)).toBe(false);
        if (first !== second) expect(isConsistent(headOf(second), headOf(first), proof)).toBe(false);
        if (proof.length > 0)
          expect(isConsistent(headOf(first), headOf(second), proof.slice(0, -1))).toBe(false);
      }),
    );
  });
});

describe("a frontier", () => {
  it("arrives at the tree's root from any size on", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (start, more) => {
        const before = new MerkleTree();
        for (let leaf = 0; leaf < Math.min(start, more); leaf++) before.append(whole.leaf(leaf));
        const kept = new MerkleTree(before.size, before.frontier);
        for (let leaf = kept.size; leaf < Math.max(start, more); leaf++) kept.append(whole.leaf(leaf));
        expect(hex(kept.root())).toBe(hex(whole.root(Math.max(start, more))));
      }),
    );
  });

  it("refuses roots that are not those of its size", () => {
    expect(() => new MerkleTree(3, [whole.root(1)])).toThrow(RangeError);
  });
});
