import { Link } from "wouter";
import { columnsText, leftovers, storedTables } from "../../../src/core/privacy-facts.js";
import { mails, protections, type Standing } from "../../../src/core/privacy-promises.js";
import { adminVisible, fieldsText } from "../../../src/protocol/dashboard/admin-visible.js";
import { Badge, type Tone } from "../../components/states/badge.tsx";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { cx } from "../../cx.ts";
import { Section } from "./section.tsx";
import { StatementState } from "./statement-state.tsx";

interface Row {
  what: string;
  /** Of the table. */
  name?: string;
  text: string;
}

const neverWritten = [
  "Prompts, system prompts and replies, whole or in part",
  "Hashes, embeddings, summaries or samples of them",
  "JSON schemas that you send",
  "Playground conversations: not on the server, and not in your browser unless you export one",
  "Error texts that quote a request",
];

/** From the description that a test compares with the tables that exist. */
const stored: Row[] = Object.entries(storedTables).map(([name, table]) => ({
  what: table.title,
  name,
  text: `${columnsText(table)}. Kept: ${table.kept}.`,
}));

const visible: Row[] = Object.values(adminVisible).map((group) => ({
  what: group.title,
  text: fieldsText(group),
}));

const tones: Record<Standing, Tone> = { proven: "good", promised: "warn", "not given": "bad" };

const left: Row[] = leftovers.map(({ what, until }) => ({ what, text: until }));

export default function Privacy() {
  return (
    <div className="prose">
      <p className="text-lg">
        Requests are processed in memory on hardware owned by the operator, and the request data is not
        stored, not logged and not used for training. This applies to every endpoint and every model. The same
        goes for replies.
      </p>
      <StatementState />
      <Section id="who" title="Who is kept from seeing what">
        <p>
          <strong>Proven</strong> means that whoever checks need not believe the operator.{" "}
          <strong>Promised</strong>: the program does so and tests show it, but the operator could run another
          program. <strong>Not given</strong>: nothing keeps them from it.
        </p>
        <dl className="divide-y divide-line border-y border-line">
          {protections.map(({ who, what, means, standing }) => (
            <div key={who + what} className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[11rem_1fr_6.5rem]">
              <dt className="min-w-0 font-medium">{who}</dt>
              <dd className="min-w-0">
                <span className="block">{what}</span>
                <span className="block text-sm text-muted">{means}</span>
              </dd>
              <dd className="sm:text-right">
                <Badge tone={tones[standing]}>{standing}</Badge>
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section id="never-written" title="What is never written to disk">
        <ul>
          {neverWritten.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Section>
      <Section id="memory" title="What stays in memory for a while">
        <p>
          The embedded engine keeps a conversation’s tokens and computed state for up to ten minutes after its
          last turn, for your account only. Compiled JSON schemas are kept about as long, and so are the items
          of replies of <code>/v1/responses</code>, encrypted with a key that exists only in that process, so
          that your client may refer to them; with <code>"store": false</code> they are not. With several
          engines, a keyed hash of a conversation’s opening messages routes its next turn to the same engine,
          for ten minutes; the key exists only in that process.
        </p>
        <p>
          <Link href="/app/account">Account</Link> says how much of this is kept of you right now and when the
          last of it is gone, and drops it with “Forget now”, on every server. Engines on the network have
          caches of their own, which this does not reach.
        </p>
        <p>
          To slow down password guessing, sign-in, sign-up and reset attempts are counted by network address,
          email address and known browser, under hashed names in memory or in Redis, for up to an hour.
          Network addresses are not logged or stored.
        </p>
        <p>
          While you test a connection on the Connect page, for at most two minutes, how your requests ended is
          kept in memory: time, kind of client, status, error code, duration, the last four characters of the
          key; and a salted hash of your network address, to show you requests with a wrong key.
        </p>
      </Section>
      <Section id="stored" title="What is stored">
        <p>
          These are all the tables of the database, each with its columns in words and how long its rows are
          kept. Beside the database, the data directory holds model weights and download state, GPU libraries
          and test results, lock files, the key of the service’s own secrets, the last head of the statement
          log, usage counts the database has not accepted yet and, with SQLite, the copies that upgrades take
          first. Request logs are described below.
        </p>
        <Rows rows={stored} />
        <p>
          <Link href="/app/account">Account</Link> shows all rows about you, unchanged, and lets you export or
          delete them.
        </p>
      </Section>
      <Section id="admins" title="What admins can see">
        <p>Everything that the admin pages can read about an account. Prompts and replies are not stored.</p>
        <Rows rows={visible} />
        <p>
          Admins can also create a link with which your password can be reset, remove your second factors,
          sign you out, change your plan or role, create, revoke and restore keys of your account, and suspend
          or delete it. The audit trail records each of these.
        </p>
      </Section>
      <Section id="deleting" title="What a deleted account leaves">
        <p>
          Deleting an account, by its owner, an admin or the operator, revokes its keys immediately and
          removes its rows, and the audit trail’s lines about its actions on itself and its keys. What is
          left, and until when:
        </p>
        <Rows rows={left} isWide />
      </Section>
      <Section id="cookies" title="Cookies">
        <p>
          Three, set when you sign up or sign in, none readable by scripts. <code>sotto_session</code> is your
          session. <code>sotto_step</code> is the second step of a sign-in, for five minutes at most.{" "}
          <code>sotto_device</code> lets a known browser sign in while others guess your password: a random
          name and, for up to four accounts, a day and a signature. It lasts 400 days after the last sign-in,
          or until you delete an account in this browser. The server writes none of them to disk, only hashes
          of the tokens. If you choose a theme or switch single-key shortcuts off, the choice is kept in this
          browser’s local storage, and so are the presets that you save in the playground, until you delete
          them or your account, and the keys of services that you check at <a href="/verify">Verify</a>. The
          server stores none of them.
        </p>
      </Section>
      <Section id="logs" title="Logs, traces and mail">
        <p>
          One log line for each request: request id, account id, key id, model, route, method, status, error
          code, outcome, whether it streamed, token counts, durations. Other lines are about the server,
          engines and GPU. A line is built from a closed list of fields, and none of them holds text you sent.
          An unexpected error is logged by its class and stack locations, without its message, since a message
          may quote its input.
        </p>
        <p>
          If the operator configures OpenTelemetry, one span per request goes to their collector: request id,
          route, method, status, error code, model, token counts, times, and the trace id your client sent. No
          account or key id, no content.
        </p>
      </Section>
      <Section id="mail" title="Mail">
        <p>
          If the operator configures a mail server, these pass through it, with the recipient’s address and
          the operator’s name. No other mail is sent.
        </p>
        <ul>
          {Object.values(mails).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Section>
      <Section id="tested" title="How it is tested">
        <p>
          The test suite starts the real server and engine with a small test model at the most verbose log
          level. It sends unique marked text through replies, streams, rejected and malformed requests,
          hang-ups and an engine killed midway, then searches the logs, the database with its write-ahead log,
          the data directory and the temporary folder for each mark, in plain, base64, hex and escaped form.
          The same search must find a leak that the test plants on purpose; otherwise the test itself fails.
        </p>
        <p>Anyone with the source can run it:</p>
        <CodeBlock language="bash" code="npm test -- test/privacy" />
        <p>
          Other tests check the structure: only one file may write logs, and these pages load nothing from any
          other host.
        </p>
      </Section>
      <Section id="limits" title="Limits of the promise">
        <p>
          The operator controls the machine. Someone in full control of it could read the memory of a running
          process, or run a changed program, and no program can check who owns the hardware. The operating
          system’s swap and core dumps are outside the service’s reach; its operating guide says how to switch
          them off. Between you and the service, use HTTPS.
        </p>
        <p>
          Engines on the network are separate programs. Sotto checks what they report about logging and
          caching when they are set up, and warns or refuses; it cannot see how they log or how long they
          cache. Traffic to them is encrypted only if the address is <code>https</code>.
        </p>
      </Section>
    </div>
  );
}

function Rows({ rows, isWide = false }: { rows: readonly Row[]; isWide?: boolean }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {rows.map(({ what, name, text }) => (
        <div
          key={what}
          className={cx(
            "grid gap-x-6 gap-y-0.5 py-3",
            isWide ? "sm:grid-cols-[1fr_14rem]" : "sm:grid-cols-[11rem_1fr]",
          )}
        >
          <dt className={cx("min-w-0", !isWide && "font-medium")}>
            {what}
            {name !== undefined && (
              <code className="block w-fit text-sm font-normal wrap-anywhere">{name}</code>
            )}
          </dt>
          <dd className="min-w-0 text-muted">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
