/** The API's address, as a client library wants it. */
export function baseUrl(): string {
  return `${location.origin}/v1`;
}
