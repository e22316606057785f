/**
 * Secrets of the service: settings encrypted under the service key, so that a copy of the database reveals none of
 * them. Where the operator wants them in memory only, `store` is a map, and they last as long as the process.
 */
import { hkdfSync } from "node:crypto";
import { seal, unseal } from "../seal.js";
import type { Store } from "../store.js";
import { UserError } from "../user-error.js";

const version = "1.";

export type SettingStore = Pick<
  Store,
  "getSetting" | "initSetting" | "setSetting" | "deleteSetting" | "listSettingNames"
>;

/** The settings were sealed under another service key. */
export class SealedElsewhere extends UserError {
  constructor() {
    super(
      "The service's secrets in the database were encrypted under another service key. Give every server of this " +
        "installation the same one: SOTTO_SECRET_KEY, or the file service.key of the data directory.",
    );
    this.name = "SealedElsewhere";
  }
}

export class SealedSettings {
  readonly #key: Buffer;

  /** `serviceKey` may be of any length; 32 random bytes are enough. */
  constructor(
    private readonly store: SettingStore,
    serviceKey: Uint8Array,
  ) {
    this.#key = Buffer.from(hkdfSync("sha256", serviceKey, "", "sotto sealed settings", 32));
  }

  async get(name: string): Promise<Buffer | null> {
    const stored = await this.store.getSetting(name);
    return stored === null ? null : this.open(name, stored);
  }

  /** The stored value, or `value` if there is none yet: exactly one of many callers wins. */
  async init(name: string, value: Uint8Array): Promise<Buffer> {
    return this.open(name, await this.store.initSetting(name, this.seal(name, value)));
  }

  /** Whatever is stored. */
  async replace(name: string, value: Uint8Array): Promise<void> {
    await this.store.setSetting(name, this.seal(name, value));
  }

  delete(name: string): Promise<void> {
    return this.store.deleteSetting(name);
  }

  names(prefix: string): Promise<string[]> {
    return this.store.listSettingNames(prefix);
  }

  /** For a secret that is kept elsewhere than in a setting. It opens under the same name only. */
  seal(name: string, value: Uint8Array): string {
    return version + seal(this.#key, value, name).toString("base64url");
  }

  /** Throws `SealedElsewhere`. */
  open(name: string, stored: string): Buffer {
    const sealed = Buffer.from(stored.slice(version.length), "base64url");
    const opened = stored.startsWith(version) ? unseal(this.#key, sealed, name) : null;
    if (opened === null) throw new SealedElsewhere();
    return opened;
  }
}

/** Settings that are gone with the process. */
export function settingsInMemory(): SettingStore {
  const settings = new Map<string, string>();
  return {
    getSetting: async (name) => settings.get(name) ?? null,
    initSetting: async (name, value) => {
      const stored = settings.get(name) ?? value;
      settings.set(name, stored);
      return stored;
    },
    setSetting: async (name, value) => {
      settings.set(name, value);
    },
    deleteSetting: async (name) => {
      settings.delete(name);
    },
    listSettingNames: async (prefix) => [...settings.keys()].filter((name) => name.startsWith(prefix)).sort(),
  };
}
