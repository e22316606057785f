/** Mails through the configured SMTP server. Each is sent over a connection of its own: they are few. */
import { createTransport } from "nodemailer";
import type { Mail, Mailer } from "./core/sign-in/mail.js";

/** For each step of a delivery: nobody waits for it, but it must not wait forever either. */
const timeoutMs = 15_000;

export interface SmtpOptions {
  url: string;
  from: string;
}

export function smtpMailer({ url, from }: SmtpOptions): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ to, subject, text }: Mail) => {
      // As an object: in a string, a comma would make several addresses of one.
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
    },
    close: async () => {
      transport.close();
    },
  };
}
