/** Where the service shows what can be checked about it. */
export const proofPaths = {
  statement: "/.well-known/sotto.json",
  log: "/.well-known/sotto/log",
  checkpoint: "/.well-known/sotto/checkpoint",
  inclusion: "/.well-known/sotto/proof",
  consistency: "/.well-known/sotto/consistency",
  /** Of the Encrypted HTTP Body Protocol. */
  hpkeKeys: "/.well-known/hpke-keys",
} as const;

/** In one answer of the log. */
export const mostEntries = 100;
