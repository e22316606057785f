/** What Node's types leave out of WebAssembly, as far as it is used here. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  /** `Exports` is what the module is known to export; nothing checks it. */
  function instantiate<Exports>(binary: Uint8Array): Promise<{ instance: { exports: Exports } }>;
}
