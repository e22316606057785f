/** What each item of the checklist says: why, and how. */
import type { ReactNode } from "react";
import type { Checklist, ChecklistItem } from "../../../../src/core/admin/service-views.js";
import type { ModelSuggestion } from "../../../../src/protocol/dashboard/engines.js";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { CodeBlock } from "../../../components/text/code-block.tsx";
import { Time } from "../../../components/text/time.tsx";
import { formatDecimal } from "../../../units.ts";

export const titles: Record<ChecklistItem, string> = {
  model: "Choose a model",
  signUp: "Decide who may sign up",
  mail: "Set up mail",
  address: "Serve it over HTTPS",
  invite: "Invite someone",
  backup: "Back up the database",
};

interface ItemTextProps {
  id: ChecklistItem;
  state: Checklist["entries"][number]["state"];
  checklist: Checklist;
  suggestion: ModelSuggestion | null;
}

export function ItemText({ id, state, checklist, suggestion }: ItemTextProps) {
  if (state === "ticked") return <Words>Marked as done.</Words>;
  if (state === "done") return <Words>{done(id, checklist)}</Words>;
  switch (id) {
    case "model":
      return (
        <Words link={{ href: "/admin/models", text: "Choose a model" }} code={suggestion?.command}>
          The starter that answers now is a demonstration.{" "}
          {suggestion?.best != null &&
            `This machine has room for ${suggestion.best.title} (${formatDecimal(suggestion.best.bytes / 1e9)} GB).`}
        </Words>
      );
    case "signUp":
      return (
        <Words code="SOTTO_SIGN_UP=invite">
          Anyone who can reach this service can create an account. Set this to ask for an invitation, or mark
          it as done to keep it open.
        </Words>
      );
    case "mail":
      return (
        <Words code="SOTTO_SMTP_URL=smtps://user:password@mail.example.com">
          Password resets and invitations are sent by mail. Without a mail server you pass on links yourself.
        </Words>
      );
    case "address":
      return (
        <Words code="SOTTO_PUBLIC_URL=https://sotto.example.com">
          {checklist.publicUrl === null
            ? "Put a reverse proxy with TLS in front and set the address that people use."
            : `People reach it at ${checklist.publicUrl}: keys and passwords travel unencrypted.`}
        </Words>
      );
    case "invite":
      return (
        <Words link={{ href: "/admin/accounts", text: "Accounts" }}>Nobody else has an account yet.</Words>
      );
    case "backup":
      return checklist.isSqlite ? (
        <Words code={'sotto backup "sotto-$(date +%F).db"'}>
          Accounts, keys and usage are in one file. This copies it while the server runs.
        </Words>
      ) : (
        <Words code={'pg_dump --format=custom --file=sotto.dump "$SOTTO_DATABASE_URL"'}>
          The database is in Postgres, which has its own tools. Mark it as done once they run regularly.
        </Words>
      );
  }
}

function done(id: ChecklistItem, { signUp, publicUrl, lastBackupAt }: Checklist): ReactNode {
  switch (id) {
    case "model":
      return "A model of your choice answers.";
    case "signUp":
      return signUp === "closed" ? "Nobody can sign up." : "By invitation only.";
    case "mail":
      return "A mail server is configured.";
    case "address":
      return <span className="wrap-anywhere">{publicUrl}</span>;
    case "invite":
      return "Others have an account or an invitation.";
    case "backup":
      return lastBackupAt === null ? null : (
        <>
          Last backup <Time at={lastBackupAt} />.
        </>
      );
  }
}

function Words({
  children,
  code,
  link,
}: {
  children: ReactNode;
  code?: string | undefined;
  link?: { href: string; text: string };
}) {
  return (
    <div className="mt-0.5 text-sm">
      <p className="max-w-prose text-muted">{children}</p>
      {code !== undefined && <CodeBlock code={code} language="bash" className="mt-2 max-w-xl" />}
      {link !== undefined && (
        <p className="mt-2">
          <ArrowLink href={link.href}>{link.text}</ArrowLink>
        </p>
      )}
    </div>
  );
}
