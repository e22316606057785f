import { describe, expect, it } from "vitest";
import { startScriptedUpstream } from "../../../../test/support/engines/scripted-upstream.js";
import { AddressError, type LookupAll } from "../../../adapters/address-policy.js";
import { checkAddress } from "./address.js";
import { Connection } from "../connection.js";

describe("the address of an engine", () => {
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
    await expect(checkAddress(url)).rejects.toThrow(AddressError);
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

  it("is judged again at every connection, so that a name that leads elsewhere later is of no use", async () => {
    const upstream = await startScriptedUpstream();
    try {
      let address = "127.0.0.1";
      const asked: string[] = [];
      const lookupAll: LookupAll = (host, _options, callback) => {
        asked.push(host);
        callback(null, [{ address, family: 4 }]);
      };
      const ask = async (allowPublic: boolean) => {
        const url = `http://gpu.example:${upstream.port}/v1`;
        const source = { url, profile: "vllm" as const, allowPublic };
        const connection = new Connection(source, 1, lookupAll);
        try {
          return (await connection.request("/health")).status;
        } finally {
          await connection.close();
        }
      };
      expect(await ask(false)).toBe(200);
      for (address of ["169.254.169.254", "100.100.100.200", "168.63.129.16"]) {
        await expect(ask(true)).rejects.toMatchObject({ code: "engine_unavailable" });
      }
      expect(asked).toEqual(Array(4).fill("gpu.example"));
      expect(upstream.questions).toHaveLength(1);
    } finally {
      await upstream.close();
    }
  });

  it.each(["http://100.100.100.200/v1", "http://[fd00:ec2::254]/", "http://[64:ff9b::a9fe:a9fe]/"])(
    "%s is no engine's, though public addresses are allowed",
    async (url) => {
      const source = { url, profile: "vllm" as const, allowPublic: true };
      expect(() => new Connection(source, 1)).toThrow("credentials");
      await expect(checkAddress(url, { allowPublic: true })).rejects.toThrow("credentials");
      // Nor is the operator told to allow public addresses, which would change nothing.
      await expect(checkAddress(url)).rejects.toThrow("credentials");
    },
  );
});
