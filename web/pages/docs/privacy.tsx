import { Link } from "wouter";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { Section } from "./section.tsx";

interface Row {
  what: string;
  text: string;
}

const neverWritten = [
  "Prompts, system prompts and replies, whole or in part",
  "Hashes, embeddings, summaries or samples of them",
  "JSON schemas that you send",
  "Playground conversations: not on the server and not in your browser",
  "Error texts that quote a request",
];

const stored: Row[] = [
  {
    what: "Accounts",
    text: "email address, password hash (argon2id), role, plan, times of creation and suspension",
  },
  { what: "Sessions", text: "SHA-256 of the session token, times of creation, last use and expiry" },
  {
    what: "Keys",
    text: "SHA-256 of the key, its last four characters, name, allowed models and operations, own limits, tags, the key it replaced, times of creation, expiry, disabling and revocation; for the last use the day and the model",
  },
  {
    what: "One-time links",
    text: "for set-up, password reset and invitations: SHA-256 of the token, times of creation and expiry; for an invitation, the invited address with its SHA-256 (unsalted) and the plan, while it is pending",
  },
  { what: "Plans", text: "names and limits" },
  {
    what: "Usage",
    text: "by hour, account, key and model: numbers of requests, errors, refusals and tokens; for the time to first token a histogram, the sum, the shortest and the longest; and the same added up by day",
  },
  {
    what: "Service counts",
    text: "of all accounts together, by hour and model: the same numbers, and how many requests ended with which error code",
  },
  { what: "Announcements", text: "changelog entries and maintenance windows, written by the operator" },
  {
    what: "Audit trail",
    text: "sign-ups, sign-ins, password changes, and changes to accounts, keys, plans, models and announcements: who, what and when; no network addresses, no failed attempts",
  },
  {
    what: "Changes",
    text: "kind and time of a change, and the id of the key, account or plan, so that every server learns of it; removed within two hours",
  },
  {
    what: "Settings",
    text: "the service’s own state: internal secrets, current and previous source of each model (including API keys of engines), measured speed of each weights file (shown publicly), ids of usage batches already counted, the feed’s id, first-run marker",
  },
];

const periods: Row[] = [
  { what: "Usage, service counts, audit trail", text: "400 days, unless the operator changes it" },
  { what: "Sessions", text: "7 days idle, 30 days at most, unless the operator changes it" },
  {
    what: "One-time links",
    text: "reset 1 hour, set-up 1 day, invitation 1 to 90 days, or until used or revoked",
  },
  {
    what: "Accounts, keys",
    text: "until the account is deleted, revoked and expired keys included",
  },
];

export default function Privacy() {
  return (
    <div className="prose">
      <p className="text-lg">
        Requests are processed in memory on hardware owned by the operator, and the request data is not
        stored, not logged and not used for training. This applies to every endpoint and every model. The same
        goes for replies.
      </p>
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
          To slow down password guessing, sign-in, sign-up and reset attempts are counted by network address,
          email address and known browser, under hashed names in memory or in Redis, for up to an hour.
          Network addresses are not logged or stored.
        </p>
      </Section>
      <Section id="stored" title="What is stored">
        <p>
          These are all the tables that hold data. Beside the database, the data directory holds model weights
          and download state, GPU test results, lock files, and usage counts the database has not accepted
          yet. Request logs are described below.
        </p>
        <Rows rows={stored} />
        <p>
          Admins can see your email address, role, plan, number of keys, last use and your audit lines. The
          rows about you are shown, as they are, under <Link href="/app/account">Account</Link>, where you can
          export or delete them.
        </p>
        <h3>How long</h3>
        <Rows rows={periods} />
      </Section>
      <Section id="deleting" title="What a deleted account leaves">
        <p>
          Deleting an account revokes its keys immediately and removes its rows, and the audit trail’s lines
          about what you did to your own account and keys. What admins did to your account stays in the trail
          with the words “deleted account” in place of your id. The bare ids of the account and its keys stay
          for up to two hours in the list from which servers learn of changes. Log lines with your account and
          key ids, and backups, last as long as the operator keeps them.
        </p>
      </Section>
      <Section id="cookies" title="Cookies">
        <p>
          Two, both set when you sign up or sign in, neither readable by scripts. <code>sotto_session</code>{" "}
          is your session. <code>sotto_device</code> lets a known browser sign in while others guess your
          password: a random name and, for up to four accounts, a day and a signature. It lasts 400 days after
          the last sign-in, or until you delete an account in this browser. The server writes neither to disk,
          only a hash of the session token. If you choose a theme or switch single-key shortcuts off, the
          choice is kept in this browser’s local storage.
        </p>
      </Section>
      <Section id="logs" title="Logs, traces and mail">
        <p>
          One log line for each request: request id, account id, key id, model, route, method, status, error
          code, outcome, whether it streamed, token counts, durations. Other lines are about the server,
          engines and GPU. A line is built from a closed list of fields, and none of them holds text you sent.
          An unexpected error is logged by its kind and place, without its message, since a message may quote
          its input.
        </p>
        <p>
          If the operator configures OpenTelemetry, one span per request goes to their collector: request id,
          route, method, status, error code, model, token counts, times, and the trace id your client sent. No
          account or key id, no content.
        </p>
        <p>
          If the operator configures a mail server, reset links and invitations pass through it with the
          address they are for.
        </p>
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
      <Section id="limits" title="What this cannot promise">
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

function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {rows.map(({ what, text }) => (
        <div key={what} className="grid gap-x-6 gap-y-0.5 py-3 sm:grid-cols-[10rem_1fr]">
          <dt className="font-medium">{what}</dt>
          <dd className="text-muted">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
