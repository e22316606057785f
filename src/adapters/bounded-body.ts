/** All bytes of a response, as long as they are not too many. */
export async function allOf(
  body: AsyncIterable<unknown>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop destroys the body.
  for await (const part of body) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    if (bytes > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts, bytes);
}
