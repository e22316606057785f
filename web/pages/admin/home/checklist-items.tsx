/** The text of each checklist item: why, and how. */
import { useState, type ReactNode } from "react";
import type { Checklist, ChecklistItem } from "../../../../src/core/admin/service-views.js";
import type { ModelSuggestion } from "../../../../src/protocol/dashboard/engines.js";
import { Button } from "../../../components/controls/button.tsx";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { CodeBlock } from "../../../components/text/code-block.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useSite } from "../../../service/queries.ts";
import { OperatorDialog } from "./operator-card.tsx";
import { SuggestionText } from "../starter-suggestion.tsx";

export const titles: Record<ChecklistItem, string> = {
  operator: "Say who runs this service",
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
    case "operator":
      return <OperatorText />;
    case "model":
      return (
        <>
          <Words link={{ href: "/admin/models", text: "Choose a model" }}>
            The starter model in use now is a demonstration.
          </Words>
          {suggestion !== null && (
            <div className="mt-2 text-sm">
              <SuggestionText suggestion={suggestion} />
            </div>
          )}
        </>
      );
    case "signUp":
      return (
        <Words code="SOTTO_SIGN_UP=invite">
          Anyone who can reach this service can create an account. Set this to require an invitation, or mark
          it as done to keep it open.
        </Words>
      );
    case "mail":
      return (
        <Words code="SOTTO_SMTP_URL=smtps://user:password@mail.example.com">
          Password resets, invitations, quota warnings and links that verify addresses are sent by mail.
          Without a mail server, you have to pass on the links yourself.
        </Words>
      );
    case "address":
      return (
        <Words code="SOTTO_PUBLIC_URL=https://sotto.example.com">
          {checklist.publicUrl === null
            ? "Put a reverse proxy with TLS in front and set the public address."
            : `People reach it at ${checklist.publicUrl}: keys and passwords travel unencrypted.`}
        </Words>
      );
    case "invite":
      return (
        <Words link={{ href: "/admin/accounts", text: "Accounts" }}>You have not invited anyone yet.</Words>
      );
    case "backup":
      return checklist.backupCommand === null ? (
        <Words code={'pg_dump --format=custom --file=sotto.dump "$SOTTO_DATABASE_URL"'}>
          The database is in Postgres, which has its own tools. Mark it as done once they run regularly.
        </Words>
      ) : (
        <Words code={checklist.backupCommand}>
          Accounts, keys and usage are in one file. This copies it while the server runs.
        </Words>
      );
  }
}

function OperatorText() {
  const { data: site } = useSite();
  const [editing, setEditing] = useState(false);
  return (
    <>
      <Words>
        Your name and a contact are shown on the public pages, in mails and in the feeds, so that people know
        whom to trust and ask.
      </Words>
      <Button size="sm" variant="primary" className="mt-3 mr-2" onClick={() => setEditing(true)}>
        Enter name and contact…
      </Button>
      {editing && site !== undefined && (
        <OperatorDialog operator={site.operator} onClose={() => setEditing(false)} />
      )}
    </>
  );
}

function done(id: ChecklistItem, { signUp, publicUrl, lastBackupAt }: Checklist): ReactNode {
  switch (id) {
    case "operator":
      return "Name and contact are on the public pages.";
    case "model":
      return "A model of your choice is in use.";
    case "signUp":
      return signUp === "closed" ? "Sign-up is closed." : "By invitation only.";
    case "mail":
      return "A mail server is configured.";
    case "address":
      return <span className="wrap-anywhere">{publicUrl}</span>;
    case "invite":
      return "You invited someone, or created an account.";
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
