/** What is mailed, and to whom. Without a mail server nothing is: links are handed over by the operator. */
import type { MailKind } from "../privacy-promises.js";

export interface Mail {
  kind: MailKind;
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Rejects when the mail server did not take it. */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

export const resetMail = (to: string, link: string, owner: string): Mail => ({
  kind: "reset",
  to,
  subject: `Choose a new password for ${owner}`,
  text: `Someone asked for a new password for this address.

Choose one here, within the next hour:

${link}

If it was not you, there is nothing to do: your password stays as it is.
`,
});

export const inviteMail = (to: string, link: string, owner: string, days = 7): Mail => ({
  kind: "invite",
  to,
  subject: `You are invited to ${owner}`,
  text: `You are invited to create an account at ${owner}.

The link works once, within the next ${days === 1 ? "day" : `${days} days`}:

${link}
`,
});

export const teamInviteMail = (
  to: string,
  link: string,
  { owner, team, days }: { owner: string; team: string; days: number },
): Mail => ({
  kind: "team_invite",
  to,
  subject: `You are invited to the team '${team}' at ${owner}`,
  text: `You are invited to join the team '${team}' at ${owner}. You need an account there with this address.

The link works once, within the next ${days === 1 ? "day" : `${days} days`}:

${link}

If you do not want to join, there is nothing to do.
`,
});

export const verifyMail = (to: string, link: string, owner: string): Mail => ({
  kind: "verify",
  to,
  subject: `Verify your email address for ${owner}`,
  text: `An account at ${owner} uses this address.

Verify that it is yours, within the next seven days:

${link}

If you have no account there, there is nothing to do.
`,
});

export const factorsResetMail = (to: string, owner: string, publicUrl: string): Mail => ({
  kind: "factors_reset",
  to,
  subject: `Your second factors at ${owner} were removed`,
  text: `An admin of ${owner} removed the second factors of your account: authenticator app, passkeys and recovery
codes. You were signed out everywhere, and sign in with your password alone until you add one again:

${publicUrl}/app/security

If you did not ask for this, tell the operator and choose another password.
`,
});

interface ChangeMail {
  link: string;
  newEmail: string;
  owner: string;
  publicUrl: string;
}

/** To the present address, which has to agree. */
export const changeFromMail = (to: string, { link, newEmail, owner, publicUrl }: ChangeMail): Mail => ({
  kind: "change_from",
  to,
  subject: `Change of your email address at ${owner}`,
  text: `Someone who is signed in to your account at ${owner} wants to change its email address to ${newEmail}.

If it is you, agree within the next day:

${link}

The new address then gets a link, too. If it is not you, do not open the link, and choose another password:
${publicUrl}/app/account
`,
});

/** To the new address. It does not name the present one: the new one may be mistyped. */
export const changeToMail = (to: string, link: string, owner: string): Mail => ({
  kind: "change_to",
  to,
  subject: `Confirm your new email address for ${owner}`,
  text: `An account at ${owner} is to use this address from now on.

Confirm that it is yours, within the next day:

${link}

If you have no account there, there is nothing to do.
`,
});
