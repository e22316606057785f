/** Gets a model of the catalogue and switches one of ours over to it; while that runs, how far it is. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { PullView } from "../../../../src/core/model-views.js";
import type { ModelId } from "../../../../src/core/models.js";
import { Button } from "../../../components/controls/button.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Spinner } from "../../../components/states/spinner.tsx";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";

interface DownloadAndUseProps {
  /** Of the catalogue. */
  id: string;
  title: string;
  model: ModelId;
  className?: string;
}

export function DownloadAndUse({ id, title, model, className = "" }: DownloadAndUseProps) {
  const client = useQueryClient();
  const { data } = useQuery(queries.admin.models);
  const pull = data?.pulls.find(({ reference, state }) => reference === id && state !== "failed");
  const change = data?.models.find((one) => one.model === model)?.change ?? null;
  const start = useMutation({
    mutationFn: () => api.admin.pull({ reference: id, model, use: true }),
    onSuccess: async () => {
      toast(`Downloading ${title}; ${model} switches over to it afterwards`);
      await client.invalidateQueries({ queryKey: ["admin"] });
    },
    onError: (error) => toast(error.message, "bad"),
  });
  if (pull !== undefined || change?.state === "switching") {
    return (
      <p role="status" className={`flex flex-wrap items-center gap-x-2.5 gap-y-1 ${className}`}>
        {pull?.state !== "paused" && <Spinner />}
        <span>
          {pull === undefined || pull.state === "done" ? `Loading ${title}` : progressOf(pull, title)}
        </span>
        <ArrowLink href="/admin/models">Models</ArrowLink>
      </p>
    );
  }
  return (
    <Button
      variant="primary"
      size="sm"
      className={className}
      pending={start.isPending}
      onClick={() => start.mutate()}
    >
      Download and use for {model}
      <span className="sr-only">: {title}</span>
    </Button>
  );
}

function progressOf({ state, doneBytes, totalBytes }: PullView, title: string): string {
  if (state === "paused") return `The download of ${title} is paused`;
  const share = totalBytes === null || totalBytes === 0 ? null : doneBytes / totalBytes;
  return share === null
    ? `Downloading ${title}`
    : `Downloading ${title}: ${share.toLocaleString("en-GB", { style: "percent" })}`;
}
