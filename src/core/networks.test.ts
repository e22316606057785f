import { describe, expect, it } from "vitest";
import { isInNetworks, parseNetwork } from "./networks.js";

describe("a network", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7/32"],
    [" 192.0.2.7/24 ", "192.0.2.0/24"],
    ["10.255.255.255/9", "10.128.0.0/9"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8::1", "2001:db8::1/128"],
    ["2001:db8:0:1:2::/33", "2001:db8::/33"],
    ["::/0", "::/0"],
    ["::ffff:10.1.2.3", "10.1.2.3/32"],
    ["::ffff:a01:203/104", "10.0.0.0/8"],
  ])("%s is kept as %s", (text, network) => {
    expect(parseNetwork(text)).toBe(network);
  });

  it.each([
    "",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0",
    "010.0.0.1",
    "::/129",
    "fe80::1%eth0",
    "example.com",
    "*",
  ])("is not %j", (text) => {
    expect(parseNetwork(text)).toBeNull();
  });
});

describe("a list of networks", () => {
  const networks = ["192.0.2.0/24", "2001:db8::/32"];

  it.each(["192.0.2.0", "192.0.2.255", "::ffff:192.0.2.9", "::FFFF:c000:0209", "2001:db8:ffff::1"])(
    "has %s",
    (address) => {
      expect(isInNetworks(networks, address)).toBe(true);
    },
  );

  it.each(["192.0.3.0", "::ffff:192.0.3.1", "::192.0.2.9", "2001:db9::1", "", "localhost"])(
    "has not %j",
    (address) => {
      expect(isInNetworks(networks, address)).toBe(false);
    },
  );

  it("with all of IPv4 has no IPv6 address, and the reverse", () => {
    expect(isInNetworks(["0.0.0.0/0"], "2001:db8::1")).toBe(false);
    expect(isInNetworks(["0.0.0.0/0"], "::ffff:198.51.100.1")).toBe(true);
    expect(isInNetworks(["2000::/3"], "198.51.100.1")).toBe(false);
  });

  it("agrees with arithmetic for random networks", () => {
    let state = 7;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    const number = (address: string) => address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
    const address = () => [0, 0, 0, 0].map(() => random(256)).join(".");
    for (let round = 0; round < 300; round += 1) {
      const [base, prefix] = [address(), random(33)];
      const size = 2 ** (32 - prefix);
      const near = number(base) + random(4) * size - size;
      const other = [24, 16, 8, 0].map((shift) => Math.floor(near / 2 ** shift) & 255).join(".");
      const expected = Math.floor(number(base) / size) === Math.floor(number(other) / size);
      expect(isInNetworks([parseNetwork(`${base}/${prefix}`) ?? ""], other)).toBe(expected);
    }
  });
});
