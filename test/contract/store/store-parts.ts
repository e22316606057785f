/** What every store has beside keys and accounts: one list, so that no database is let off a part of it. */
import { describeAtomicContract } from "./atomically.js";
import { describeAuditContract } from "./audit.js";
import { describeChangeContract } from "./changes.js";
import { describeAccountContract } from "./dashboard-accounts.js";
import { describeFactorContract } from "./factors.js";
import { describeLinkContract } from "./links.js";
import { describeNewsContract } from "./news.js";
import { describeScimContract } from "./scim.js";
import { describeServiceContract } from "./service.js";
import { describeSessionContract } from "./sessions.js";
import { describeStatementLogContract } from "./statement-log.js";
import { describeWebhooksContract } from "./webhooks.js";
import { describeStoredContract } from "./stored.js";
import { describeQuotaContract } from "./quotas.js";
import { describeTeamContract } from "./teams.js";
import { describeUsageContract } from "./usage.js";

export const storeParts = [
  describeAccountContract,
  describeSessionContract,
  describeLinkContract,
  describeUsageContract,
  describeQuotaContract,
  describeNewsContract,
  describeAuditContract,
  describeChangeContract,
  describeStoredContract,
  describeServiceContract,
  describeStatementLogContract,
  describeFactorContract,
  describeWebhooksContract,
  describeTeamContract,
  describeScimContract,
  describeAtomicContract,
];
