/** Formats of strings that can be followed, as patterns. Each matches a part of what its format allows. */
const day31 = "(0[1-9]|[12][0-9]|3[01])";
const date = `[0-9]{4}-((0[13578]|1[02])-${day31}|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))`;
const time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
const octet = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const label = "[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?";
const host = `${label}(\\.${label}){1,3}`;
const hex = (length: number): string => `[0-9a-f]{${length}}`;

export const formatPatterns: Readonly<Record<string, string>> = {
  date,
  time,
  "date-time": `${date}T${time}`,
  uuid: [8, 4, 4, 4, 12].map(hex).join("-"),
  ipv4: Array.from({ length: 4 }, () => octet).join("\\."),
  hostname: host,
  email: `[A-Za-z0-9]+([._+-][A-Za-z0-9]+){0,3}@${host}`,
  uri: `https?://${host}(:[1-9][0-9]{1,3})?(/[A-Za-z0-9._~-]+){0,10}/?(\\?[A-Za-z0-9._~=&-]+)?(#[A-Za-z0-9._~-]+)?`,
};
