/** Operations on accounts, for the command line and the dashboard. */
import { passwordLength, planWeight } from "../bounds.js";
import { invalid } from "../dashboard-error.js";
import { UserError } from "../user-error.js";
import { DuplicateEmail, type NewAccount, OnlyOwner, type Store } from "../store.js";
import { noQuotas, type Account, type Plan } from "../entities.js";
import type { Clock } from "../clock.js";

/** The plan of accounts that were not given another; created with the database. */
export const defaultPlanId = "free";

export const defaultPlan = (
  limits: Pick<Plan, "requestsPerMinute" | "tokensPerMinute" | "concurrentRequests">,
): Plan => ({
  id: defaultPlanId,
  name: "Free",
  requestsPerMinute: limits.requestsPerMinute,
  tokensPerMinute: limits.tokensPerMinute,
  concurrentRequests: limits.concurrentRequests,
  maxKeys: 20,
  maxTokens: null,
  models: null,
  requiresEncryption: false,
  weight: planWeight.usual,
  ...noQuotas,
});

export interface AccountRequest extends Omit<NewAccount, "passwordHash"> {
  /** Null for an account that cannot sign in: its keys are created on the command line. */
  password: string | null;
}

/** Hashing is native code, so it is passed in. */
export type HashPassword = (password: string) => Promise<string>;

export async function createAccount(
  store: Store,
  request: AccountRequest,
  hashPassword: HashPassword,
): Promise<Account> {
  const email = checkEmail(request.email);
  await requirePlan(store, request.planId);
  const passwordHash = request.password === null ? null : await hashPassword(checkPassword(request.password));
  try {
    return await store.createAccount({ email, passwordHash, role: request.role, planId: request.planId });
  } catch (error) {
    if (!(error instanceof DuplicateEmail)) throw error;
    throw new UserError(
      `${email} has an account already. Choose another address, or delete that account first.`,
    );
  }
}

/** Throws where `findAccountByEmail` returns null. */
export async function requireAccount(store: Store, email: string): Promise<Account> {
  const account = await store.findAccountByEmail(email.trim());
  if (account === null) {
    throw new UserError(
      `No account has the address ${printable(email)}. Check its spelling, or create the account first.`,
    );
  }
  return account;
}

/** From now on its keys are refused. An account that is suspended already keeps its time. */
export async function suspendAccount(store: Store, clock: Clock, email: string): Promise<Account> {
  const account = await requireAccount(store, email);
  if (account.suspendedAt !== null) return account;
  const suspendedAt = clock.now();
  await store.setAccountSuspended(account.id, suspendedAt);
  return { ...account, suspendedAt };
}

export async function resumeAccount(store: Store, email: string): Promise<Account> {
  const account = await requireAccount(store, email);
  await store.setAccountSuspended(account.id, null);
  return { ...account, suspendedAt: null };
}

export async function setAccountPlan(store: Store, email: string, planId: string): Promise<Account> {
  const account = await requireAccount(store, email);
  await requirePlan(store, planId);
  await store.setAccountPlan(account.id, planId);
  return { ...account, planId };
}

/** Removes the account, its keys and all that belongs to it. */
export async function deleteAccount(store: Store, email: string): Promise<Account> {
  const account = await requireAccount(store, email);
  try {
    await store.deleteAccount(account.id);
  } catch (error) {
    throw error instanceof OnlyOwner ? new UserError(error.message) : error;
  }
  return account;
}

async function requirePlan(store: Store, id: string): Promise<void> {
  if ((await store.findPlan(id)) !== null) return;
  const known = (await store.listPlans()).map((plan) => plan.id).join(", ");
  throw new UserError(`There is no plan ${printable(id)}. The plans are: ${known}.`);
}

/**
 * Null for what is no address. The shape only: whether mail arrives is known by sending some. A host without a dot is
 * fine on a LAN.
 */
export function parseEmail(text: string): string | null {
  const email = text.trim();
  return email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? email : null;
}

export function checkEmail(text: string, field = "email"): string {
  const email = parseEmail(text);
  if (email !== null) return email;
  throw invalid(field, `${printable(text)} is not an email address. Write it like ada@example.com.`);
}

/**
 * Length is the one rule, as NIST SP 800-63B advises: rules about digits and symbols make passwords harder
 * to remember and no harder to guess.
 */
function checkPassword(password: string): string {
  const { length } = password;
  // As in the dashboard's forms: what is chosen on the command line must be accepted there.
  const { min, max } = passwordLength;
  if (length < min) {
    throw new UserError(`The password has ${length} characters. Choose one with at least ${min}.`);
  }
  if (length > max) {
    throw new UserError(`The password is too long. Choose one with at most ${max} characters.`);
  }
  return password;
}

/** What a person typed, safe to show back on a terminal. */
const printable = (text: string): string => `"${text.trim().replace(/\p{C}/gu, "?").slice(0, 100)}"`;
