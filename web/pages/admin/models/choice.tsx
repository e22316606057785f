/** What the tabs of the dialog share: one choice is applied, and may fail. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { formError } from "../../../form-errors.ts";

export type Choice = ReturnType<typeof useChoice>;

/** Applies one choice: confirms and closes, or keeps the error for its form. */
export function useChoice(onClose: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ work }: { work: () => Promise<unknown>; id: string; done: string }) => work(),
    onSuccess: async (_, { done }) => {
      toast(done);
      onClose();
      await client.invalidateQueries({ queryKey: ["admin"] });
    },
  });
}

/** For choices without a field to show the error at. */
export function ChoiceFailure({ choose }: { choose: Choice }) {
  const failure = formError(choose.error, []);
  if (failure === undefined) return null;
  return (
    <Callout tone="bad" className="mb-4">
      <span className="wrap-anywhere">{failure}</span>
    </Callout>
  );
}
