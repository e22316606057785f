import { Link } from "wouter";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { Section } from "./section.tsx";

const kept = [
  {
    what: "Accounts",
    text: "email address, password hash (argon2id), role, plan, times of creation and suspension",
  },
  { what: "Sessions", text: "SHA-256 of the cookie, and when it was made, last used and expires" },
  {
    what: "Keys",
    text: "SHA-256 of the key, its last four characters, name, permissions, times of creation, expiry, revocation and last use",
  },
  {
    what: "One-time links",
    text: "for setup, password reset and invitations: SHA-256 of the link and of the invited address, and when they were made and expire",
  },
  { what: "Plans", text: "names and limits" },
  {
    what: "Usage",
    text: "by hour, account, key and model: how many requests, errors, refusals and tokens, and how long the first token took. Numbers only",
  },
  { what: "Announcements", text: "changelog entries and maintenance windows, written by the operator" },
  { what: "Audit trail", text: "who did what to an account, a key, a plan or a setting, and when" },
  {
    what: "Changes",
    text: "ids of keys and accounts that changed, so that every server learns of it; removed within two hours",
  },
  { what: "Settings", text: "what the service must remember about itself" },
];

const notKept = [
  "Prompts, system prompts and replies, whole or in part",
  "Hashes, embeddings, summaries or samples of them",
  "Playground conversations: not on the server and not in your browser",
  "Error texts that quote a request",
];

export default function Privacy() {
  return (
    <div className="prose">
      <p className="text-lg">
        Requests are processed in memory on hardware owned by the operator. They are not stored, not logged
        and not used for training. This applies to every endpoint and every model, and to the replies as well.
      </p>
      <Section id="kept" title="What is kept">
        <p>This is all of it. There is no other table and no other file, besides the models’ weights.</p>
        <dl className="divide-y divide-line border-y border-line">
          {kept.map((row) => (
            <div key={row.what} className="grid gap-x-6 gap-y-0.5 py-3 sm:grid-cols-[10rem_1fr]">
              <dt className="font-medium">{row.what}</dt>
              <dd className="text-muted">{row.text}</dd>
            </div>
          ))}
        </dl>
        <p>
          The rows about you are shown, as they are, under <Link href="/app/account">Account</Link>, where you
          can export or delete them. Deleting an account ends its keys at once and removes its rows, and the
          audit trail’s lines about what you did to your own account and keys. What admins did to your account
          stays in the trail with the words “deleted account” in place of your id. The bare ids of the account
          and its keys stay for up to two hours in the list from which servers learn of changes.
        </p>
      </Section>
      <Section id="cookies" title="Cookies">
        <p>
          Two, both set when you sign in and neither readable by scripts. One is your session. The other lets
          a browser that signed in before do so while strangers guess at your password elsewhere: a random
          name and a signature, kept for 400 days or until you delete your account. The service stores nothing
          of it.
        </p>
      </Section>
      <Section id="not-kept" title="What is not kept">
        <ul>
          {notKept.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Section>
      <Section id="logs" title="What is logged">
        <p>
          One line for each request: request id, account id, key id, model, route, status, error code, token
          counts, durations. A line is built from a closed list of fields, and none of them holds text. An
          unexpected error is logged by its kind and place, without its message, since a message may quote its
          input.
        </p>
      </Section>
      <Section id="tested" title="How it is tested">
        <p>
          The test suite starts the real service with a real model at the most verbose log level and sends
          unique marked words through it: replies, streams, every error, clients that hang up, an engine that
          is killed midway. Then it searches the logs, the database with its write-ahead log, the data
          directory and the temporary folder for each mark, in plain, base64, hex and escaped form. The same
          search must find a leak that the test plants on purpose; otherwise the test itself fails.
        </p>
        <p>Anyone with the source can run it:</p>
        <CodeBlock language="bash" code="npm test -- test/privacy" />
        <p>
          Other tests hold the structure: one file alone may write logs, the engine’s process has no standard
          streams, these pages load nothing from any other host.
        </p>
      </Section>
      <Section id="limits" title="What this cannot promise">
        <p>
          The operator owns the machine. Someone in full control of it could read the memory of a running
          process, or run a changed program. The operating system’s swap and core dumps are outside the
          service’s reach; its operating guide says how to switch them off. Between you and the service, use
          HTTPS.
        </p>
      </Section>
    </div>
  );
}
