/** Mails through the configured SMTP server. Each is sent over a connection of its own: they are few. */
import type { Transporter } from "nodemailer";
import type { Mail, Mailer } from "../core/sign-in/mail.js";

/** For each step of a delivery: nobody waits for it, but it must not wait forever either. */
const timeoutMs = 15_000;

export function smtpMailer({ url, from }: { url: string; from: string }): Mailer {
  let transport: Promise<Transporter> | null = null;
  return {
    send: async ({ to, subject, text }: Mail) => {
      transport ??= openTransport(url);
      // As an object: in a string, a comma would make several addresses of one.
      await (await transport).sendMail({ from, to: { name: "", address: to }, subject, text });
    },
    close: async () => (await transport)?.close(),
  };
}

/** The library is loaded with the first mail: every start and every command would wait for it. */
async function openTransport(url: string): Promise<Transporter> {
  const { default: nodemailer } = await import("nodemailer");
  return nodemailer.createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
