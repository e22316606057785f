/** What `sotto doctor` reports about the certificate that the server itself uses. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { TlsFiles } from "../../adapters/tls-files.js";
import { UserError } from "../../core/user-error.js";
import { broken, hint, ok, type Check } from "./finding.js";

const dayMs = 24 * 60 * 60_000;
const soonDays = 14;

export const checkTls: Check = async ({ service: { tlsCert, tlsKey } }) => {
  const name = "certificate";
  if (tlsCert === undefined || tlsKey === undefined) return [];
  try {
    const paths = { cert: tlsCert, key: tlsKey };
    const files = await TlsFiles.open({ paths, onReloaded: () => undefined, onBroken: () => undefined });
    await files.close();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [broken(name, error.message, "Check SOTTO_TLS_CERT and SOTTO_TLS_KEY.")];
  }
  const {
    validFrom,
    validTo,
    subjectAltName: names = "no name",
  } = new X509Certificate(await readFile(tlsCert));
  const [from, until] = [new Date(validFrom), new Date(validTo)];
  const now = Date.now();
  const leftDays = Math.floor((until.getTime() - now) / dayMs);
  const next = "Renew it. A running server takes up the new files within seconds.";
  if (from.getTime() > now) {
    const detail = `not valid before ${dayOf(from)}`;
    return [broken(name, detail, "Check this machine's clock.")];
  }
  if (leftDays < 0) return [broken(name, `expired on ${dayOf(until)}`, next)];
  const detail = `for ${names}, expires on ${dayOf(until)} (in ${leftDays} days)`;
  return [leftDays < soonDays ? hint(name, detail, next) : ok(name, detail)];
};

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
