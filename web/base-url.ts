/** The API's base URL, as client libraries expect it. */
export function baseUrl(): string {
  return `${location.origin}/v1`;
}
