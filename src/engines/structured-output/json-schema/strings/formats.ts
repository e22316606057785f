/**
 * Formats of strings that can be enforced, as patterns that match from the first character to the last. Each matches
 * a part of what its format allows, the part that people and their libraries write.
 */
const day31 = "(0[1-9]|[12][0-9]|3[01])";
const date = `[0-9]{4}-((0[13578]|1[02])-${day31}|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))`;
const time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
const units = "([0-9]{1,6}H([0-9]{1,6}M)?([0-9]{1,6}S)?|[0-9]{1,6}M([0-9]{1,6}S)?|[0-9]{1,6}S)";
const days = "([0-9]{1,6}Y([0-9]{1,6}M)?([0-9]{1,6}D)?|[0-9]{1,6}M([0-9]{1,6}D)?|[0-9]{1,6}D)";
const octet = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const ipv4 = Array.from({ length: 4 }, () => octet).join("\\.");
const group = "[0-9a-f]{1,4}";
const ipv6 = `((${group}:){7}${group}|(${group}:){1,4}(:${group}){1,3}|::(${group}(:${group}){0,5})?)`;
const label = "[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?";
const host = `${label}(\\.${label}){1,3}`;
const email = `[A-Za-z0-9]+([._+-][A-Za-z0-9]+){0,3}@${host}`;
const path = "(/[A-Za-z0-9._~-]+){0,10}/?(\\?[A-Za-z0-9._~=&-]+)?(#[A-Za-z0-9._~-]+)?";
const uri = `https?://${host}(:[1-9][0-9]{1,3})?${path}`;
const uuid = (version: string): string =>
  `[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`;
const base64 = (chars: string, end: string): string =>
  `([${chars}]{4})*([${chars}]{2}${end}${end}|[${chars}]{3}${end})?`;
const base64url = "[A-Za-z0-9_-]";
const prefix4 = "/(3[0-2]|[12]?[0-9])";
const prefix6 = "/(12[0-8]|1[01][0-9]|[1-9]?[0-9])";

const patterns: Readonly<Record<string, string>> = {
  date,
  time,
  "date-time": `${date}T${time}`,
  duration: `P([0-9]{1,6}W|${days}(T${units})?|T${units})`,
  email,
  "idn-email": email,
  hostname: host,
  "idn-hostname": host,
  ipv4,
  ipv6,
  uri,
  url: uri,
  iri: uri,
  "uri-reference": `(${uri}|${path})`,
  uuid: uuid("[1-8]"),
  // Pydantic has a name for each version.
  ...Object.fromEntries(
    ["1", "3", "4", "5", "6", "7", "8"].map((version) => [`uuid${version}`, uuid(version)]),
  ),
  "json-pointer": "(/[A-Za-z0-9._-]*){0,20}",
  byte: base64("A-Za-z0-9+/", "="),
  base64: base64("A-Za-z0-9+/", "="),
  base64url: `(${base64url}{4})*(${base64url}{2,3})?`,
  jwt: `${base64url}+\\.${base64url}+\\.${base64url}+`,
  cidrv4: ipv4 + prefix4,
  cidrv6: ipv6 + prefix6,
  ipv4interface: ipv4 + prefix4,
  ipv6interface: ipv6 + prefix6,
  ipvanyaddress: `(${ipv4}|${ipv6})`,
  ipvanyinterface: `(${ipv4}${prefix4}|${ipv6}${prefix6})`,
  // Of the pictographs those without gaps.
  emoji: "[\\u{1F400}-\\u{1F4FD}\\u{1F5FA}-\\u{1F64F}\\u{1F680}-\\u{1F6C5}\\u{1F947}-\\u{1F9FF}]+",
};

export const formatNames: readonly string[] = Object.keys(patterns);

/** Undefined for a format that is not enforced. */
export const formatPattern = (name: string): string | undefined =>
  Object.hasOwn(patterns, name) ? `^(${patterns[name] ?? ""})$` : undefined;
