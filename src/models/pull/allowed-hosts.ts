/**
 * The hosts that weights may be downloaded from when somebody asks from the dashboard: names as in addresses, with a
 * port where it is not the usual one, or `*.example.com` for everything below a domain. Every redirect is checked
 * against the list as well, so an allowed host cannot lead to one that is not.
 */

/** Where the endpoint's own redirects go: Hugging Face keeps its files on hosts of these domains. */
const huggingFaceHosts = ["huggingface.co", "*.huggingface.co", "hf.co", "*.hf.co"];

export interface DownloadHosts {
  hfEndpoint: string;
  /** As configured; undefined for the default. */
  hosts: readonly string[] | undefined;
}

export const allowedHosts = ({ hfEndpoint, hosts }: DownloadHosts): string[] => [
  ...new Set(hosts ?? [new URL(hfEndpoint).host, ...huggingFaceHosts]),
];

export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const host = url.host.toLowerCase();
  return allowed.some((entry) =>
    entry.startsWith("*.") ? host.endsWith(entry.slice(1).toLowerCase()) : host === entry.toLowerCase(),
  );
}
