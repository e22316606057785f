import { lookup } from "node:dns";
import { describe, expect, it } from "vitest";
import { AddressFault, checkAddress, guardedLookup, isAllowedAddress } from "./address.js";

describe("the address of an engine", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.8.8.8", true],
    ["10.1.2.3", true],
    ["172.16.0.1", true],
    ["172.32.0.1", false],
    ["192.168.1.1", true],
    ["100.64.0.1", true],
    ["100.128.0.1", false],
    ["8.8.8.8", false],
    ["::1", true],
    ["fd12:3456::1", true],
    ["2001:4860:4860::8888", false],
    ["::ffff:127.0.0.1", true],
    ["::ffff:8.8.8.8", false],
    ["::ffff:808:808", false],
    ["::ffff:7f00:1", true],
    ["not an address", false],
  ])("%s is private: %s", (address, isPrivate) => {
    expect(isAllowedAddress(address, false)).toBe(isPrivate);
  });

  it.each([
    "169.254.169.254",
    "0.0.0.0",
    "::",
    "fe80::1",
    "224.0.0.1",
    "255.255.255.255",
    "::ffff:169.254.169.254",
  ])("%s is never allowed", (address) => {
    expect(isAllowedAddress(address, true)).toBe(false);
  });

  it("loses its /v1 and keeps its folder", async () => {
    for (const end of ["", "/", "/v1", "/v1/"]) {
      expect((await checkAddress(`http://127.0.0.1:8000${end}`)).href).toBe("http://127.0.0.1:8000/");
    }
    expect((await checkAddress("http://127.0.0.1/llm/v1")).pathname).toBe("/llm");
  });

  it.each([
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "http://user:secret@127.0.0.1/",
    "http://127.0.0.1/?a=1",
    "gpu-1:8000",
    "http://8.8.8.8/v1",
    "http://0x08080808/v1",
    "http://[2001:4860:4860::8888]/v1",
    "http://169.254.169.254/v1",
  ])("refuses %s", async (url) => {
    await expect(checkAddress(url)).rejects.toThrow(AddressFault);
  });

  it("is allowed to be public when the operator says so", async () => {
    await expect(checkAddress("https://8.8.8.8/v1", { allowPublic: true })).resolves.toBeInstanceOf(URL);
    await expect(checkAddress("http://169.254.169.254/", { allowPublic: true })).rejects.toThrow(
      "link-local",
    );
  });

  it("is judged by every address that its name has", async () => {
    const at = (...addresses: string[]) =>
      checkAddress("http://gpu.example/v1", { resolve: async () => addresses });
    await expect(at("10.0.0.1", "10.0.0.2")).resolves.toBeInstanceOf(URL);
    await expect(at("10.0.0.1", "8.8.8.8")).rejects.toThrow("gpu.example (8.8.8.8)");
    await expect(at()).rejects.toThrow("No address was found");
  });

  it("is judged again by the socket, so that a name that leads elsewhere later is of no use", async () => {
    const ask = (host: string, all: boolean) =>
      new Promise<unknown>((resolve, reject) => {
        guardedLookup(false)(host, { all }, (error, address) => {
          if (error === null) resolve(address);
          else reject(error);
        });
      });
    await expect(ask("localhost", true)).resolves.toEqual(
      await new Promise((resolve) => {
        lookup("localhost", { all: true }, (_, found) => {
          resolve(found);
        });
      }),
    );
    await expect(ask("localhost", false)).resolves.toEqual(expect.stringMatching(/^(127\.|::1)/));
    // An address is its own answer: the system's resolver stands in for a name server that changed its mind.
    await expect(ask("8.8.8.8", true)).rejects.toThrow(AddressFault);
    await expect(ask("169.254.169.254", false)).rejects.toThrow(AddressFault);
  });
});
