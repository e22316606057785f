/**
 * Browsers in which an account was signed in to before. They keep an allowance of attempts of their own, so
 * that a stranger who guesses at an account elsewhere uses up the allowance of strangers and not its owner's.
 *
 * A browser is known by a cookie: a random name, and for each account that was signed in to a day and a MAC
 * over name, day and address. Nothing about it is stored; the secret of the MAC is a setting of the store, so
 * every replica knows the same browsers. Whether an address has an account need not be looked up.
 *
 * Being known does not sign anyone in. A stolen cookie is worth one more allowance of guesses at the accounts that
 * are in it, until it expires.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.js";
import type { Store } from "../store.js";
import { newToken } from "./secret-token.js";

const dayMs = 24 * 60 * 60_000;
/** The longest that browsers keep a cookie. */
export const deviceLifeMs = 400 * dayMs;
const mostAccounts = 4;
const macBytes = 16;
const pattern = /^[\w-]{22}(\.\d{1,7}\.[\w-]{22}){1,4}$/;

interface Entry {
  day: number;
  mac: string;
}

export class KnownDevices {
  #secret: Promise<string> | null = null;

  constructor(
    private readonly store: Pick<Store, "initSetting">,
    private readonly clock: Clock,
  ) {}

  /** A name for this browser and this account together; null unless it signed in to it before. */
  async recognise(cookie: string | null, email: string): Promise<string | null> {
    const device = cookie === null ? null : parse(cookie);
    if (device === null) return null;
    const secret = await this.#readSecret();
    const { name } = device;
    const isKnown = device.entries.some((entry) => this.#isValid(entry, secret, name, email));
    return isKnown ? `${name} ${normalized(email)}` : null;
  }

  /** What the cookie is from now on. The accounts that it had before stay, the latest few of them. */
  async remember(cookie: string | null, email: string): Promise<string> {
    const secret = await this.#readSecret();
    const device = cookie === null ? null : parse(cookie);
    const name = device?.name ?? randomBytes(16).toString("base64url");
    const others = (device?.entries ?? []).filter(
      ({ day, mac }) => !isMac(mac, macOf(secret, name, day, email)),
    );
    const today = this.#today();
    const entries = [{ day: today, mac: macOf(secret, name, today, email) }, ...others];
    return [name, ...entries.slice(0, mostAccounts).flatMap(({ day, mac }) => [day, mac])].join(".");
  }

  #isValid({ day, mac }: Entry, secret: string, name: string, email: string): boolean {
    const ageMs = (this.#today() - day) * dayMs;
    return ageMs <= deviceLifeMs && isMac(mac, macOf(secret, name, day, email));
  }

  #today(): number {
    return Math.floor(this.clock.now().getTime() / dayMs);
  }

  /** Asked for again after a failure. */
  #readSecret(): Promise<string> {
    this.#secret ??= this.store.initSetting("device_secret", newToken()).catch((error: unknown) => {
      this.#secret = null;
      throw error;
    });
    return this.#secret;
  }
}

function parse(cookie: string): { name: string; entries: Entry[] } | null {
  if (!pattern.test(cookie)) return null;
  const [name = "", ...rest] = cookie.split(".");
  const entries: Entry[] = [];
  for (let at = 0; at < rest.length; at += 2)
    entries.push({ day: Number(rest[at]), mac: rest[at + 1] ?? "" });
  return { name, entries };
}

const macOf = (secret: string, name: string, day: number, email: string): string =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["device", name, day, normalized(email)]))
    .digest()
    .subarray(0, macBytes)
    .toString("base64url");

const isMac = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));

const normalized = (email: string): string => email.trim().toLowerCase();
