/**
 * All values of a header, as sent. Node's parsed headers keep only the first of two `Authorization` or
 * `Content-Type` lines; another program on the way may have gone by the second.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? "");
  }
  return values;
}
