/** The values to fill in: the model, a key, and for code whether it streams. */
import { Plus } from "lucide-react";
import { useState } from "react";
import { type ConnectTarget, modelOf } from "../../../../src/connect/client.js";
import { isChatModelId, type ChatModelId } from "../../../../src/core/models.js";
import type { PlanView } from "../../../../src/protocol/dashboard/api.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Input, Select, verbatim } from "../../../components/controls/field.tsx";
import { Segmented } from "../../../components/controls/segmented.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { CreateKeyDialog } from "../keys/create-key-dialog.tsx";
import { formatCount } from "../../../units.ts";

interface TargetFieldsProps {
  target: ConnectTarget;
  plan: PlanView;
  /** Whether the client's code depends on streaming. */
  streams: boolean;
  /** Whether the model's context is known, or assumed. */
  isKnown: boolean;
  onKey: (key: string | null) => void;
  onModel: (model: ChatModelId) => void;
  onStream: (stream: boolean) => void;
}

const replies = [
  { id: "whole", label: "Whole reply" },
  { id: "stream", label: "Streaming" },
] as const;

export function TargetFields({
  target,
  plan,
  streams,
  isKnown,
  onKey,
  onModel,
  onStream,
}: TargetFieldsProps) {
  const [typed, setTyped] = useState("");
  const [isCreating, setIsCreating] = useState(false);
  const { contextTokens, outputTokens } = modelOf(target);
  const enterKey = (text: string) => {
    const key = text.trim();
    setTyped(key);
    onKey(keyPattern.test(key) ? key : null);
  };
  const isWrong = typed !== "" && !keyPattern.test(typed);
  const limits = `${formatCount(contextTokens)} tokens of context, replies of up to ${formatCount(outputTokens)}.`;
  return (
    <Card>
      <div className="grid gap-5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] lg:grid-cols-1 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Field label="Model" hint={isKnown ? limits : `${limits} Assumed: the service does not report them.`}>
          <Select
            value={target.model}
            onValue={(model) => {
              if (isChatModelId(model)) onModel(model);
            }}
            options={target.models.map(({ id }) => ({ value: id, label: id }))}
          />
        </Field>
        <div className="flex flex-col gap-3 sm:flex-row sm:items-start">
          <Field
            label="Key"
            className="min-w-0 flex-1"
            hint="Filled in below. It does not leave this page."
            error={
              isWrong ? "This is not a key: they begin with sk-sotto- and have 58 characters." : undefined
            }
          >
            <Input
              value={typed}
              placeholder="sk-sotto-…"
              {...verbatim}
              className="font-mono"
              onValue={enterKey}
            />
          </Field>
          <Button icon={<Plus />} className="h-10 sm:mt-6.5" onClick={() => setIsCreating(true)}>
            Create key
          </Button>
        </div>
        {streams && (
          <div>
            <Segmented
              label="Reply"
              options={replies}
              value={target.stream ? "stream" : "whole"}
              onChange={(id) => onStream(id === "stream")}
            />
          </div>
        )}
      </div>
      {isCreating && (
        <CreateKeyDialog
          plan={plan}
          onIssued={({ secret }) => enterKey(secret)}
          onClose={() => setIsCreating(false)}
        />
      )}
    </Card>
  );
}

const keyPattern = /^sk-sotto-[0-9A-Za-z]{49}$/;
