import { useId, useState } from "react";
import { type ConnectTarget, modelOf } from "../../../../src/connect/client.js";
import { clientGroups, connectClients } from "../../../../src/connect/clients.js";
import { fitOf } from "../../../../src/connect/fit.js";
import { Field, Input, unaided } from "../../../components/controls/field.tsx";
import { cx } from "../../../cx.ts";
import { useMe } from "../../../hooks/use-me.ts";
import { FitBadge } from "./client-fit.tsx";

interface ClientPickerProps {
  current: string;
  target: ConnectTarget;
  /** Whether the models are known yet. */
  isKnown: boolean;
}

/** The clients by group, filtered by the search. Each is a link, so that it can be shared and opened in a new tab. */
export function ClientPicker({ current, target, isKnown }: ClientPickerProps) {
  const { plan } = useMe();
  const [search, setSearch] = useState("");
  const id = useId();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = connectClients.filter(({ id, name, group }) =>
    words.every((word) => `${id} ${name} ${group}`.toLowerCase().includes(word)),
  );
  return (
    <div className="flex flex-col gap-4 lg:sticky lg:top-6">
      <Field label="Client">
        <Input type="search" value={search} placeholder="Search" {...unaided} onValue={setSearch} />
      </Field>
      <p role="status" className="sr-only">
        {search === "" ? "" : `${found.length} found`}
      </p>
      <nav
        aria-label="Clients"
        className="max-h-64 overflow-y-auto rounded-md border border-line bg-surface p-2 lg:max-h-[calc(100dvh-9rem)] lg:border-0 lg:bg-transparent lg:p-0"
      >
        {found.length === 0 && (
          <p className="px-2.5 py-2 text-sm text-muted">
            No matching client. Any client with a configurable base URL works:{" "}
            <a href="#openai-compatible" className="text-accent underline underline-offset-3">
              what to enter
            </a>
          </p>
        )}
        {clientGroups.map((group, position) => {
          const clients = found.filter((client) => client.group === group);
          if (clients.length === 0) return null;
          const heading = `${id}-${position}`;
          return (
            <div key={group} className="mb-3 last:mb-0">
              <p id={heading} className="mb-1 px-2.5 text-xs font-medium text-muted">
                {group}
              </p>
              <ul aria-labelledby={heading}>
                {clients.map((client) => (
                  <li key={client.id}>
                    <a
                      href={`#${client.id}`}
                      aria-current={client.id === current ? "true" : undefined}
                      className={cx(
                        "flex min-h-8 items-center justify-between gap-2 rounded-md px-2.5 py-1 text-sm -outline-offset-2 transition-colors",
                        client.id === current
                          ? "bg-accent-soft font-medium text-accent"
                          : "text-muted hover:bg-hover hover:text-ink",
                      )}
                    >
                      {client.name}
                      {isKnown && client.needs !== undefined && (
                        <span>
                          <span className="sr-only">, with {target.model}: </span>
                          <FitBadge level={fitOf(client, modelOf(target), plan.tokensPerMinute).level} />
                        </span>
                      )}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
    </div>
  );
}
