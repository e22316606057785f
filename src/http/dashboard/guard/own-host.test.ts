import { describe, expect, it } from "vitest";
import { ownHosts, type OwnNames } from "./own-host.js";

const local: OwnNames = { publicUrl: undefined, listenHost: "127.0.0.1", machineName: "Tower.lan" };
const open: OwnNames = { ...local, listenHost: "0.0.0.0" };
const isPublic: OwnNames = { ...open, publicUrl: "https://Chat.example.com:8443/sotto" };

const loopback = [
  "localhost",
  "LOCALHOST:8080",
  "localhost.",
  "sotto.localhost:8080",
  "127.0.0.1:8080",
  "127.8.9.10",
  "[::1]:8080",
  "[::ffff:127.0.0.1]",
];
const addresses = ["192.168.1.5:8080", "10.0.0.1", "[fd00::5]:8080"];
const machine = ["tower.lan:8080", "Tower", "tower.local:8080"];
const foreign = [
  "evil.test",
  "evil.test:8080",
  "localhost.evil.test",
  "127.0.0.1.evil.test",
  "notlocalhost",
  "evil.test@localhost",
  "localhost/evil.test",
  "localhost#evil.test",
  "evil.test localhost",
  "[::1].evil.test",
  "localhost:8080:evil.test",
  "[]",
  ":8080",
];

const accepted = (names: OwnNames, hosts: readonly string[]) => hosts.filter(ownHosts(names));

describe("the host names that are the server's own", () => {
  it("are loopback names alone where it listens on loopback", () => {
    for (const listenHost of ["127.0.0.1", "::1", "localhost"]) {
      expect(accepted({ ...local, listenHost }, loopback)).toEqual(loopback);
      expect(accepted({ ...local, listenHost }, [...addresses, ...machine, ...foreign])).toEqual([]);
    }
  });

  it("are addresses and the machine's name too where other machines may connect", () => {
    for (const listenHost of ["0.0.0.0", "::", "192.168.1.5"]) {
      const all = [...loopback, ...addresses, ...machine];
      expect(accepted({ ...open, listenHost }, all)).toEqual(all);
      expect(accepted({ ...open, listenHost }, foreign)).toEqual([]);
    }
  });

  it("are that of the public URL instead of the machine's, on any port", () => {
    const own = ["chat.example.com", "CHAT.example.com.:443", "chat.example.com:8443"];
    expect(accepted(isPublic, own)).toEqual(own);
    expect(accepted({ ...isPublic, listenHost: "127.0.0.1" }, own)).toEqual(own);
    expect(accepted(isPublic, loopback)).toEqual(loopback);
    expect(accepted(isPublic, [...machine, ...foreign, "example.com", "x.chat.example.com"])).toEqual([]);
  });

  it("are the name that it was told to listen on", () => {
    expect(accepted({ ...local, listenHost: "chat.internal" }, ["chat.internal:8080"])).toHaveLength(1);
  });

  it("may be an address in the public URL", () => {
    const names = { ...local, publicUrl: "http://[fd00::5]:8080" };
    expect(accepted(names, ["[FD00::5]:8080"])).toHaveLength(1);
    expect(accepted(names, ["[fd00::6]:8080"])).toEqual([]);
  });
});
