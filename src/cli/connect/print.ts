/** A client's configuration as the command prints it. */
import { clientGroups, connectClients } from "../../connect/clients.js";
import type { ConfigPart, ConnectClient } from "../../connect/client.js";
import { fileText } from "../../connect/file-text.js";
import { table } from "../output.js";

/** One line each, by group. */
export function clientList(): string {
  const groups = clientGroups.map((group) => {
    const rows = connectClients
      .filter((client) => client.group === group)
      .map(({ id, name, api, checked: { how, version } }) => [id, name, api, how, version]);
    return `${group}\n${indent(table(["client", "name", "api", "checked by", "version"], rows))}`;
  });
  return `${groups.join("\n\n")}\n\nThe configuration of one: sotto connect <client>`;
}

export function configurationText(client: ConnectClient, parts: readonly ConfigPart[]): string {
  const { version, how, source } = client.checked;
  const checked = {
    run: `Tried with ${version}`,
    source: `Checked in the source of ${version}`,
    documentation: `Taken from its documentation (${version}), not tried`,
  };
  return [`${client.name}, ${client.api} API`, ...parts.map(partText), `${checked[how]}: ${source}`].join(
    "\n\n",
  );
}

function partText(part: ConfigPart): string {
  switch (part.type) {
    case "file":
      return `${part.name}\n\n${indent(fileText(part.format, part.settings).trimEnd())}`;
    case "code":
      return `${part.title}\n\n${indent(part.text)}`;
    case "fields": {
      const width = Math.max(...part.rows.map(({ label }) => label.length));
      const rows = part.rows.map(({ label, value }) => `${label.padEnd(width)}  ${value}`);
      return `${part.title}\n\n${indent(rows.join("\n"))}`;
    }
    case "note":
      return part.text;
  }
}

/** As text of its own, for programs. */
export const partJson = (part: ConfigPart): object =>
  part.type === "file"
    ? { type: "file", name: part.name, format: part.format, text: fileText(part.format, part.settings) }
    : part;

const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
