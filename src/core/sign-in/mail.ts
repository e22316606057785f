/** What is mailed, and to whom. Without a mail server nothing is: links are handed over by the operator. */

export interface Mail {
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
  to,
  subject: `Choose a new password for ${owner}`,
  text: `Someone asked for a new password for this address.

Choose one here, within the next hour:

${link}

If it was not you, there is nothing to do: your password stays as it is.
`,
});

export const inviteMail = (to: string, link: string, owner: string, days = 7): Mail => ({
  to,
  subject: `You are invited to ${owner}`,
  text: `You are invited to create an account at ${owner}.

The link works once, within the next ${days === 1 ? "day" : `${days} days`}:

${link}
`,
});
