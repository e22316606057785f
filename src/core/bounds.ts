/**
 * Numbers and names that the pages and the service must agree on. Apart from the schemas, so that the browser
 * can have them without the schema library.
 */

/** Length is what counts; 10 characters at least, and a bound so that hashing stays cheap. */
export const passwordLength = { min: 10, max: 200 } as const;

/** The most characters of what people write into the dashboard. */
export const longest = {
  email: 254,
  operatorName: 100,
  keyName: 80,
  planName: 80,
  teamName: 60,
  title: 200,
  announcement: 20_000,
  tag: 30,
  passkeyName: 60,
  webhookUrl: 2_000,
  webhookDescription: 200,
} as const;

export const mostWebhooks = 20;

/** Networks that a key may be limited to. */
export const mostNetworks = 50;

/** How much more of a busy engine a plan's accounts get than those of a plan with weight 1. */
export const planWeight = { min: 1, max: 100, usual: 1 } as const;

/** Accounts on one page of the list for admins. */
export const accountsPageSize = 50;

/** Accounts that one request may change. */
export const mostAtOnce = 100;

/** Teams on one page of the list for admins. */
export const teamsPageSize = 50;

/** Members of one team. */
export const mostMembers = 500;

/** How long an invitation may work. */
export const inviteDays = { min: 1, max: 90, usual: 7 } as const;

/** How long accounts may do without a second factor that is required. */
export const graceDays = { min: 0, max: 365, usual: 7 } as const;

/** Keys on one page, and tags of one key. */
export const keysPageSize = 50;
export const mostTags = 10;

/** Keys in one reply to GET /api/keys. */
export const listedKeys = 100;

/** Stands where others have the id of their key, also in the rows of usage. */
export const playgroundKeyId = "playground";
/** Also of the ids that the members of a team have there, see `playground.ts`. */
export const isPlayground = (keyId: string): boolean => keyId.split("_")[0] === playgroundKeyId;

/** The most that a quota by the day or the month can be. */
export const largestQuota = 1_000_000_000_000;

/** The part of a quota at which its owner is warned. */
export const mostOfQuota = 0.8;

/**
 * `1,000,000`. By hand: the first `toLocaleString` loads the data of a language, which takes as long as many modules.
 */
export const shownBound = (bound: number): string => String(bound).replace(/\B(?=(\d{3})+$)/g, ",");
