import type { ReactNode } from "react";
import type { ConfigPart, ConnectClient, ConnectTarget } from "../../../../src/connect/client.js";
import { fileText } from "../../../../src/connect/file-text.js";
import { CopyButton } from "../../../components/controls/copy-button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { CodeBlock } from "../../../components/text/code-block.tsx";

interface ClientConfigurationProps {
  client: ConnectClient;
  target: ConnectTarget;
  /** Which models it works with. */
  fit: ReactNode;
}

export function ClientConfiguration({ client, target, fit }: ClientConfigurationProps) {
  return (
    <Card title={client.name} description={`Calls the ${client.api} API.`}>
      <div className="flex flex-col gap-5">
        {fit}
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
            Documentation
          </a>
        </p>
      </div>
    </Card>
  );
}

function checkedText({ checked }: ConnectClient): string {
  const { how } = checked;
  // A library's is its package's name and number.
  const version = /^\d/.test(checked.version) ? `version ${checked.version}` : checked.version;
  switch (how) {
    case "run":
      return `Tested with ${version}.`;
    case "source":
      return `Checked against the source of ${version}.`;
    case "documentation":
      return `Based on its documentation (${version}), not tested.`;
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

/** Values to enter into the client's own form. */
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
