import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import type { KeyView } from "../../../src/protocol/dashboard-api.js";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { queries } from "../../service/queries.ts";
import { plural } from "../../units.ts";
import { CreateKeyDialog } from "./keys/create-key-dialog.tsx";
import { hasEnded } from "./keys/key-status.tsx";
import { KeyTable } from "./keys/key-table.tsx";
import { RevokeKeyDialog } from "./keys/revoke-key-dialog.tsx";
import { RotateKeyDialog } from "./keys/rotate-key-dialog.tsx";

type Open = { type: "create" } | { type: "rotate" | "revoke"; key: KeyView } | null;

export default function Keys() {
  const { data, error, refetch } = useQuery(queries.keys);
  const [open, setOpen] = useState<Open>(null);
  const [withEnded, setWithEnded] = useState(false);
  const { plan } = useMe();
  const ended = data?.keys.filter(hasEnded).length ?? 0;
  const rows = withEnded ? data?.keys : data?.keys.filter((key) => !hasEnded(key));
  const create = () => setOpen({ type: "create" });
  const close = () => setOpen(null);
  return (
    <>
      <PageHeader
        title="Keys"
        description={`A key lets a program use the API on your behalf. The ${plan.name} plan allows ${plural(plan.maxKeys, "key")}.`}
        actions={
          <Button variant="primary" icon={<Plus />} onClick={create}>
            Create key
          </Button>
        }
      />
      <Card flush>
        <KeyTable
          rows={rows}
          error={error}
          onRetry={refetch}
          onRotate={(key) => setOpen({ type: "rotate", key })}
          onRevoke={(key) => setOpen({ type: "revoke", key })}
          empty={
            <EmptyState
              icon={<KeyRound />}
              title={ended === 0 ? "No keys yet" : "No working keys"}
              action={<Button onClick={create}>Create key</Button>}
            >
              Programs send a key with each request. It is shown once, when it is created.
            </EmptyState>
          }
        />
      </Card>
      {ended > 0 && (
        <div className="mt-3">
          <Button size="sm" variant="quiet" aria-pressed={withEnded} onClick={() => setWithEnded(!withEnded)}>
            {withEnded ? "Hide" : "Show"} {plural(ended, "key")} no longer in use
          </Button>
        </div>
      )}
      {open?.type === "create" && <CreateKeyDialog plan={plan} onClose={close} />}
      {open?.type === "rotate" && <RotateKeyDialog apiKey={open.key} onClose={close} />}
      {open?.type === "revoke" && <RevokeKeyDialog apiKey={open.key} onClose={close} />}
    </>
  );
}
