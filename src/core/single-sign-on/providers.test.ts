import { expect, it } from "vitest";
import type { Audit } from "../audit.js";
import type { Provider } from "./provider.js";
import { Providers } from "./providers.js";

const provider: Provider = {
  ...{ id: "work", name: "Work", issuer: "https://login.example.com", clientId: "sotto" },
  ...{ clientSecret: "a-secret", scopes: "openid email", signUp: "nobody", domains: [], trustsEmail: false },
  ...{ groupClaim: null, groups: [], endsKeys: false, linksScim: false },
};

it("sends the secret that it has to its own issuer only", async () => {
  const vault = {
    get: async () => null,
    replace: async () => undefined,
    delete: async () => undefined,
    names: async () => [],
  };
  const audit: Pick<Audit, "record"> = { record: async () => undefined };
  const providers = new Providers([provider], vault, audit as Audit, () => undefined);
  const { clientSecret: _, ...unchanged } = provider;
  expect(await providers.complete({ ...unchanged, name: "Login" })).toMatchObject({
    clientSecret: "a-secret",
  });
  const moved = { ...unchanged, issuer: "https://evil.example" };
  await expect(providers.complete(moved)).rejects.toMatchObject({ field: "clientSecret" });
  expect(await providers.complete({ ...moved, clientSecret: "b" })).toMatchObject({ clientSecret: "b" });
});
