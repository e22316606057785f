/** A mail server that accepts everything and keeps it, or refuses everything. */
import { createServer, type Socket } from "node:net";
import { once } from "node:events";

export interface SmtpServer {
  url: string;
  /** The mails as they came, headers and text. */
  mails: string[];
  /** Who each was for, as said in the envelope. */
  recipients: string[];
  /** Whether it refuses everyone; may be changed. */
  refuses: boolean;
  /** How many it has refused. */
  refusals: number;
  close(): Promise<void>;
}

export async function startSmtpServer({ refuses = false } = {}): Promise<SmtpServer> {
  const mails: string[] = [];
  const recipients: string[] = [];
  const sockets = new Set<Socket>();
  const kept = { refuses, refusals: 0 };
  const server = createServer((socket) => {
    sockets.add(socket.setEncoding("utf8"));
    let text = "";
    let inMail = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    say("220 test");
    socket.on("error", () => undefined);
    socket.on("data", (part: string) => {
      text += part;
      for (;;) {
        const ending = inMail ? "\r\n.\r\n" : "\r\n";
        const end = text.indexOf(ending);
        if (end < 0) return;
        const line = text.slice(0, end);
        text = text.slice(end + ending.length);
        if (inMail) {
          mails.push(decoded(line));
          inMail = false;
          say("250 kept");
        } else if (/^DATA/i.test(line)) {
          inMail = true;
          say("354 go on");
        } else if (/^QUIT/i.test(line)) {
          socket.end("221 bye\r\n");
        } else if (/^RCPT/i.test(line)) {
          if (kept.refuses) kept.refusals += 1;
          else recipients.push(line);
          say(kept.refuses ? "550 nobody here" : "250 ok");
        } else say("250 ok");
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The mail server has no port.");
  return Object.assign(kept, {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    recipients,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  });
}

/** From quoted-printable, the form in which mails with long lines travel. */
const decoded = (mail: string): string =>
  mail
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
