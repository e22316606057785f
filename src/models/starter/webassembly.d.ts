/** What Node's types leave out of WebAssembly, as far as it is used here. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  function instantiate(binary: Uint8Array): Promise<{ instance: { exports: object } }>;
}
