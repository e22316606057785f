/** The keys that bodies are encrypted to, and what opens the bodies. */
import { HpkeKeys } from "../core/proof/hpke-keys.js";
import { SingleUse } from "../core/proof/single-use.js";
import { StoreUnavailable } from "../core/store.js";
import { Encryption } from "../http/encrypted/encryption.js";
import type { Context } from "./overrides.js";
import type { Proof } from "./proof.js";
import type { Storage } from "./storage.js";

const hourMs = 60 * 60_000;

/** `hpkeKeys` is undefined where the service's secrets cannot be opened. */
export async function openEncryption(
  { config, clock, log, closers }: Context,
  { counters }: Pick<Storage, "counters">,
  proof: Pick<Proof, "sealed" | "hpkeKey" | "look">,
): Promise<{ encryption: Encryption; hpkeKeys: HpkeKeys | undefined }> {
  const { encryptionKeyHours, requireEncryption } = config.service;
  const isRequired = requireEncryption === "all";
  const { sealed } = proof;
  if (sealed === null)
    return { encryption: new Encryption({ opened: null, isRequired }), hpkeKeys: undefined };
  const onError = (error: unknown) => {
    // Its outage is logged elsewhere, and the keys are looked for again within a minute.
    if (!(error instanceof StoreUnavailable)) log.unexpected(error);
  };
  const periodMs = encryptionKeyHours * hourMs;
  const keys = closers.add(await HpkeKeys.open(sealed, { clock, periodMs, onError }));
  const singleUse = new SingleUse({ keys, now: () => clock.now(), shared: counters.uses, onError });
  keys.onChange(() => proof.look());
  proof.hpkeKey = () => keys.current().publicKey.toString("hex");
  return { encryption: new Encryption({ opened: { keys, singleUse }, isRequired }), hpkeKeys: keys };
}
