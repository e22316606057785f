/**
 * What is mailed, and what is proven or promised about privacy, in words: shown with `privacy-facts.ts`. A mail whose kind
 * is not listed does not compile.
 */

/** Every mail that is sent, all with the recipient's address and the operator's name. */
export const mails = {
  reset: "a link to choose a new password",
  invite: "an invitation to create an account",
  team_invite: "an invitation to a team, with its name",
  verify: "a link to verify an address",
  change_from: "a link to agree to a new address, with that address",
  change_to: "a link to confirm a new address",
  factors_reset: "a notice that an admin removed the account’s second factors",
  quota:
    "a warning that most or all of a quota is used: numbers, the name of the plan or team, the last four characters of a key",
} as const;

export type MailKind = keyof typeof mails;

/**
 * `proven`: whoever checks need not believe the operator. `promised`: the program does so, and tests show it, but the
 * operator could run another one. `not given`: nothing keeps them from it.
 */
export type Standing = "proven" | "promised" | "not given";

export interface Protection {
  who: string;
  /** What they are kept from, or not. */
  what: string;
  means: string;
  standing: Standing;
}

/** Who is kept from seeing what, by which means. Nothing here may be stronger than what its means give. */
export const protections: readonly Protection[] = [
  {
    who: "Someone on the network",
    what: "requests and replies on their way",
    means: "TLS, which your client checks; with encrypted bodies a second time",
    standing: "proven",
  },
  {
    who: "A proxy, load balancer or CDN in front",
    what: "bodies, from clients that encrypt them to the key in the signed statement",
    means:
      "encrypted bodies (EHBP) and a pinned signing key. Paths, API keys, sizes and times stay visible to it",
    standing: "proven",
  },
  {
    who: "A proxy, load balancer or CDN in front",
    what: "bodies, from clients that do not encrypt them",
    means: "none: TLS ends there",
    standing: "not given",
  },
  {
    who: "Other users of the machine, without root",
    what: "conversations in memory, keys and the database",
    means: "the operating system’s isolation of processes; files that the service’s user alone can read",
    standing: "promised",
  },
  {
    who: "Other accounts of the service",
    what: "your conversations, also by what caches and timing reveal",
    means: "caches, items and queues kept apart by account, which tests check",
    standing: "promised",
  },
  {
    who: "Readers of the operator’s logs, database, metrics and backups",
    what: "prompts and replies",
    means: "they are never written: closed lists of fields, searched for planted marks by tests",
    standing: "promised",
  },
  {
    who: "The operator, afterwards",
    what: "changing or dropping what the service stated to you earlier",
    means: "signed statements in an append-only log, for whoever runs “sotto verify” more than once",
    standing: "proven",
  },
  {
    who: "The operator",
    what: "showing you another log than others",
    means: "none by itself: it is found when people compare the checkpoints they saw, which are signed",
    standing: "not given",
  },
  {
    who: "The operator, afterwards",
    what: "denying that the service gave you a reply to a request",
    means: "receipts, signed over both. Which model computed it is what the service says",
    standing: "proven",
  },
  {
    who: "The operator, with root",
    what: "running another program or other weights than the statement names",
    means: "the statement is signed and cannot be taken back; that it is true would take hardware evidence",
    standing: "promised",
  },
  {
    who: "The operator, with root",
    what: "reading the memory of the running service",
    means: "none without confidential-computing hardware, which this version has no support for",
    standing: "not given",
  },
  {
    who: "Operators of engines on the network",
    what: "the conversations that they compute",
    means: "a preflight of what the engine reports, whose findings are in the statement",
    standing: "promised",
  },
  {
    who: "The operator",
    what: "who uses the service, when and how much",
    means: "none: keys belong to accounts, and their requests and tokens are counted",
    standing: "not given",
  },
];
