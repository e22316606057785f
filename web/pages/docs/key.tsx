import { Link } from "wouter";
import { CodeBlock, CodeTabs } from "../../components/text/code-block.tsx";
import { samplesIn } from "../../components/text/language-samples.ts";
import { baseUrl } from "../../base-url.ts";
import { keyCurl, keyNode, keyPython, keyReply } from "./key-samples.ts";
import { Section } from "./section.tsx";

export default function YourKey() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        <code>GET /v1/key</code> returns a key’s name, permissions and remaining limits.
      </p>
      <CodeTabs
        samples={samplesIn({
          curl: keyCurl(baseUrl()),
          python: keyPython(baseUrl()),
          node: keyNode(baseUrl()),
        })}
      />
      <CodeBlock language="json" title="200 OK" code={keyReply} />
      <Section id="fields" title="The fields">
        <ul>
          <li>
            <code>name</code> and <code>last_four</code> identify it in the dashboard under{" "}
            <Link href="/app/keys">Keys</Link>. The key itself and the account’s email address are never part
            of the reply.
          </li>
          <li>
            <code>models</code>: those that both the key and its plan allow. <code>operations</code>:{" "}
            <code>chat</code> and <code>models</code>. Keys created in the dashboard have both; an operator
            can create one with fewer on the command line, by{" "}
            <code data-long>sotto keys create --operations</code>. <code>scopes</code>: those of an operator’s
            key, which cannot use models.
          </li>
          <li>
            <code>expires_at</code>: when it stops working, by its expiry or the grace period of a rotation;
            null for never. Times are Unix times in seconds.
          </li>
        </ul>
      </Section>
      <Section id="limits" title="Limits">
        <p>
          Each entry of <code>limits</code> is one limit. With the scope <code>account</code> it belongs to
          the plan and is shared by all keys of the account and the playground; with the scope{" "}
          <code>key</code> it is this key’s own. A key of a team has limits with the scope <code>team</code>,
          which all its keys share, and with <code>member</code> where the member has some. A request must fit
          into all of them. <code>resets_at</code> is when the whole limit is available again; it is null
          while nothing is used, and for <code>concurrent_requests</code>, which end with the requests.
        </p>
        <p>
          Every valid key may call this, whatever its permissions, from the networks that it is limited to;
          from any other it gets 403 <code>ip_not_allowed</code>. It counts as one request and uses no tokens.
          See <Link href="/docs/limits">Limits</Link> for what happens when one is reached.
        </p>
      </Section>
    </div>
  );
}
