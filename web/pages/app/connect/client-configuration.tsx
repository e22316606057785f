import type { ConfigPart, ConnectClient, ConnectTarget } from "../../../../src/connect/client.js";
import { fileText } from "../../../../src/connect/file-text.js";
import { CopyButton } from "../../../components/controls/copy-button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { CodeBlock } from "../../../components/text/code-block.tsx";

export function ClientConfiguration({ client, target }: { client: ConnectClient; target: ConnectTarget }) {
  return (
    <Card title={client.name} description={`Calls the ${client.api} API.`}>
      <div className="flex flex-col gap-5">
        {client.configure(target).map((part, position) => (
          <Part key={`${client.id} ${position}`} part={part} />
        ))}
        <p className="text-sm text-muted">
          {checkedText(client)}{" "}
          <a
            href={client.checked.source}
            rel="noreferrer"
            className="text-accent underline underline-offset-3"
          >
            Its own documentation
          </a>
        </p>
      </div>
    </Card>
  );
}

function checkedText({ checked: { how, version } }: ConnectClient): string {
  switch (how) {
    case "run":
      return `Tried with ${version}.`;
    case "source":
      return `Checked in the source of ${version}.`;
    case "documentation":
      return `Taken from its documentation (${version}), not tried.`;
  }
}

function Part({ part }: { part: ConfigPart }) {
  switch (part.type) {
    case "file":
      return (
        <CodeBlock
          title={part.name}
          language={part.format}
          code={fileText(part.format, part.settings).trimEnd()}
        />
      );
    case "code":
      return <CodeBlock title={part.title} language={part.language} code={part.text} />;
    case "fields":
      return <FormFields title={part.title} rows={part.rows} />;
    case "note":
      return <p className="max-w-prose text-sm text-muted">{part.text}</p>;
  }
}

/** What to enter into a form of the client. */
function FormFields({ title, rows }: { title: string; rows: readonly { label: string; value: string }[] }) {
  return (
    <div className="overflow-clip rounded-lg border border-line">
      <p className="border-b border-line px-4 py-2.5 text-sm text-muted">{title}</p>
      <dl className="divide-y divide-line">
        {rows.map(({ label, value }) => (
          <div
            key={label}
            className="grid items-center gap-x-4 py-1.5 pr-1.5 pl-4 sm:grid-cols-[11rem_minmax(0,1fr)]"
          >
            <dt className="text-sm font-medium">{label}</dt>
            <dd className="flex items-center justify-between gap-3">
              <span className="font-mono text-sm wrap-anywhere">{value}</span>
              <CopyButton text={value} label={`Copy ${label}`} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
