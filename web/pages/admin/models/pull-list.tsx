/** Downloads run by the server, whether or not this page is open. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pause, Play, RotateCw, X } from "lucide-react";
import type { ModelView, PullView } from "../../../../src/core/model-views.js";
import { api } from "../../../service/api.ts";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Progress } from "../../../components/states/progress.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { queries } from "../../../service/queries.ts";
import { formatSize } from "../../../units.ts";
import { WithoutDraft } from "./choice.tsx";

interface PullListProps {
  pulls: readonly PullView[];
  models: readonly ModelView[];
  onCancel: (pull: PullView) => void;
}

export function PullList({ pulls, models, onCancel }: PullListProps) {
  return (
    <Card title="Downloads" description="They continue when you leave this page." flush>
      <ul className="divide-y divide-line">
        {pulls.map((pull) => (
          <li key={pull.id} className="px-5 py-4 sm:px-6">
            <Pull
              pull={pull}
              isUsed={isUsed(pull, models)}
              draft={models.find(({ model }) => model === pull.model)?.draft ?? null}
              onCancel={() => onCancel(pull)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

const isUsed = ({ file, model }: PullView, models: readonly ModelView[]): boolean =>
  models.some((one) => one.model === model && (one.source?.label === file || one.change?.to.label === file));

interface PullProps {
  pull: PullView;
  isUsed: boolean;
  /** Of what serves its model now. */
  draft: string | null;
  onCancel: () => void;
}

function Pull({ pull, isUsed, draft, onCancel }: PullProps) {
  const client = useQueryClient();
  const name = pull.file || pull.reference;
  const act = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onError: (error) => toast(error.message, "bad"),
    onSettled: () => client.invalidateQueries({ queryKey: queries.admin.models.queryKey }),
  });
  const isStopped = pull.state === "paused" || pull.state === "failed";
  const { model } = pull;
  const canBeUsed = pull.state === "done" && !isUsed && (!pull.use || pull.reason !== "");
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-64">
        <Progress
          label={name}
          done={pull.state === "done" ? 1 : pull.doneBytes}
          total={pull.state === "done" ? 1 : pull.totalBytes}
          words={wordsOf(pull)}
          tone={pull.state === "failed" ? "bad" : isStopped ? "muted" : "accent"}
        />
        {pull.reason !== "" && (
          <p
            role={pull.state === "failed" ? "alert" : undefined}
            className={`mt-1 text-sm wrap-anywhere ${pull.state === "failed" ? "text-bad" : "text-muted"}`}
          >
            {pull.reason}
          </p>
        )}
        {model !== null && canBeUsed && (
          <WithoutDraft
            draft={draft}
            what="Used from here, it"
            advice="Under Change model, Files, you can choose one."
            className="mt-1"
          />
        )}
      </div>
      <div className="flex items-center gap-1">
        {model !== null && canBeUsed && (
          <Button
            variant="primary"
            size="sm"
            pending={act.isPending}
            onClick={() => act.mutate(() => api.admin.useWeights(model, { file: pull.file }))}
          >
            Use for {model}
          </Button>
        )}
        {["waiting", "running"].includes(pull.state) && (
          <Button
            size="sm"
            icon={<Pause />}
            onClick={() => act.mutate(() => api.admin.setPull(pull.id, "pause"))}
          >
            Pause<span className="sr-only"> {name}</span>
          </Button>
        )}
        {isStopped && (
          <Button
            size="sm"
            icon={pull.state === "failed" ? <RotateCw /> : <Play />}
            onClick={() => act.mutate(() => api.admin.setPull(pull.id, "resume"))}
          >
            {pull.state === "failed" ? "Try again" : "Resume"}
            <span className="sr-only"> {name}</span>
          </Button>
        )}
        {pull.state === "done" ? (
          <IconButton label={`Clear ${name}`} onClick={() => act.mutate(() => api.admin.cancelPull(pull.id))}>
            <X />
          </IconButton>
        ) : (
          <Button size="sm" variant="quiet" onClick={onCancel}>
            Cancel<span className="sr-only"> {name}</span>
          </Button>
        )}
      </div>
    </div>
  );
}

function wordsOf(pull: PullView): string {
  const { state, doneBytes, totalBytes, bytesPerSecond, fileNumber, fileCount } = pull;
  if (state === "waiting") return "Waiting for other downloads";
  if (state === "checking") return "Verifying";
  if (state === "done") return totalBytes === null ? "Verified" : `${formatSize(totalBytes)}, verified`;
  const amount =
    totalBytes === null
      ? state === "running"
        ? "Connecting"
        : ""
      : `${formatSize(doneBytes)} of ${formatSize(totalBytes)}`;
  const parts = [
    { running: "", paused: "Paused", failed: "Failed" }[state],
    amount,
    fileCount > 1 ? `file ${fileNumber} of ${fileCount}` : "",
    bytesPerSecond === null ? "" : `${formatSize(bytesPerSecond)}/s`,
    timeLeft(pull),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function timeLeft({ doneBytes, totalBytes, bytesPerSecond }: PullView): string {
  if (totalBytes === null || bytesPerSecond === null || bytesPerSecond <= 0) return "";
  const seconds = Math.ceil((totalBytes - doneBytes) / bytesPerSecond);
  if (seconds < 60) return `${seconds} s left`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min left` : `${(seconds / 3600).toFixed(1)} h left`;
}
