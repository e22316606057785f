/**
 * What a session's browser is called in the list of sessions, from its `User-Agent`. A closed set of names: the header
 * itself identifies more than people need to recognise their own browsers, and is kept nowhere.
 */
// In this order: many call themselves what others are called.
const browsers = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:(?:Headless)?Chrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
] as const;
const systems = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** `Firefox on Linux`; null where nothing of it is known. */
export function deviceLabelOf(userAgent: string | undefined): string | null {
  const nameIn = (list: readonly (readonly [string, RegExp])[]) =>
    list.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0] ?? null;
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === null) return system;
  return system === null ? browser : `${browser} on ${system}`;
}
