/** Judged without connecting to any of them. */
import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import {
  AddressError,
  guardedLookup,
  isAllowedAddress,
  isPublicAddress,
  type LookupAll,
} from "./address-policy.js";

describe("an address", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.8.8.8", true],
    ["10.1.2.3", true],
    ["172.16.0.1", true],
    ["172.32.0.1", false],
    ["192.168.1.1", true],
    ["100.64.0.1", true],
    ["100.100.100.199", true],
    ["100.128.0.1", false],
    ["8.8.8.8", false],
    ["::1", true],
    ["0:0:0:0:0:0:0:1", true],
    ["fd12:3456::1", true],
    ["2001:4860:4860::8888", false],
    ["::ffff:127.0.0.1", true],
    ["0:0:0:0:0:ffff:7f00:0001", true],
    ["::ffff:8.8.8.8", false],
    ["::ffff:808:808", false],
    ["::ffff:7f00:1", true],
    // What a translator makes of it is outside this network, whatever the address behind it.
    ["64:ff9b::10.0.0.1", false],
    ["2002:a00:1::1", false],
    ["not an address", false],
    ["", false],
  ])("%s is private: %s", (address, isPrivate) => {
    expect(isAllowedAddress(address, false)).toBe(isPrivate);
  });

  it.each([
    ["8.8.8.8", true],
    ["2001:4860:4860::8888", true],
    ["64:ff9b::8.8.8.8", true],
    ["10.1.2.3", false],
    ["::1", false],
    ["::ffff:192.168.1.1", false],
    ["169.254.169.254", false],
    ["64:ff9b::10.0.0.1", false],
    ["2002:a00:1::1", false],
    ["not an address", false],
  ])("%s is public: %s", (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  it.each([
    "8.8.8.8",
    "168.63.129.17",
    "192.0.1.1",
    "2001:4860:4860::8888",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
  ])("%s is allowed where public ones are", (address) => {
    expect(isAllowedAddress(address, true)).toBe(true);
  });

  const metadata = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"];
  const hex = (address: string): [string, string] => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  };
  const inverted = (group: string) => (Number.parseInt(group, 16) ^ 0xffff).toString(16);
  const forms = metadata.flatMap((address) => {
    const [high, low] = hex(address);
    return [
      address,
      `::ffff:${address}`,
      `::FFFF:${high}:${low}`,
      `0:0:0:0:0:ffff:${high}:${low}`,
      `::${address}`,
      `::${high}:${low}`,
      `::ffff:0:${address}`,
      `64:ff9b::${address}`,
      `64:ff9b::${high}:${low}`,
      `64:ff9b:1::${address}`,
      `64:ff9b:1:abcd:0:0:${high}:${low}`,
      `2002:${high}:${low}::`,
      `2002:${high}:${low}::1`,
      `2002:${high}:${low}:1:2:3:4:5`,
      `2001:0:${high}:${low}::1`,
      `2001::1:${inverted(high)}:${inverted(low)}`,
      `2001:db8::5efe:${high}:${low}`,
      `fd00::200:5efe:${address}`,
    ];
  });

  it.each([
    ...forms,
    "0.0.0.0",
    "0.1.2.3",
    "::",
    "::2",
    "fe80::1",
    "fe80::a9fe:a9fe",
    "fe80::1%eth0",
    "224.0.0.1",
    "255.255.255.255",
    "::ffff:0.0.0.0",
    "ff02::1",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "FD00:0EC2:0:0:0:0:0:0254",
    "fd20:ce::254",
    "fd00:c1::a9fe:a9fe",
    "fd00:42::42",
  ])("%s is never allowed", (address) => {
    expect(isAllowedAddress(address, true)).toBe(false);
    expect(isAllowedAddress(address, false)).toBe(false);
  });
});

describe("the lookup of a socket", () => {
  const at = (...addresses: string[]): LookupAll => {
    const found = addresses.map((address): LookupAddress => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    return (_host, _options, callback) => {
      callback(null, found);
    };
  };
  const ask = (lookupAll: LookupAll, all = true, allowPublic = true) =>
    new Promise<unknown>((resolve, reject) => {
      const lookup = guardedLookup((address) => isAllowedAddress(address, allowPublic), lookupAll);
      lookup("gpu.example", { all }, (error, address, family) => {
        if (error === null) resolve(family === undefined ? address : [address, family]);
        else reject(error);
      });
    });

  it("gives what the resolver found", async () => {
    expect(await ask(at("10.0.0.1", "fd12::1"))).toEqual([
      { address: "10.0.0.1", family: 4 },
      { address: "fd12::1", family: 6 },
    ]);
    expect(await ask(at("10.0.0.1", "fd12::1"), false)).toEqual(["10.0.0.1", 4]);
  });

  it.each([
    ["169.254.169.254"],
    ["100.100.100.200"],
    ["fd00:ec2::254"],
    ["64:ff9b::a9fe:a9fe"],
    ["10.0.0.1", "168.63.129.16"],
    ["8.8.8.8", "2002:a9fe:a9fe::1"],
    [],
  ])("refuses a name that leads to %s", async (...addresses) => {
    await expect(ask(at(...addresses))).rejects.toThrow(AddressError);
    await expect(ask(at(...addresses), false)).rejects.toThrow(AddressError);
  });

  it("refuses a public address where only private ones are allowed", async () => {
    await expect(ask(at("8.8.8.8"), true, false)).rejects.toThrow(AddressError);
  });

  it("passes on that a name does not exist", async () => {
    const missing: LookupAll = (_host, _options, callback) => {
      callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
    };
    await expect(ask(missing)).rejects.toMatchObject({ code: "ENOTFOUND" });
  });
});
