/** What the tabs of the dialog have in common: one choice is carried out, and may fail. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";

export type Choice = ReturnType<typeof useChoice>;

/** Carries out one choice: says so and closes, or keeps the error for the form it came from. */
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

/** For choices without a field that could be at fault. */
export function ChoiceFailure({ choose }: { choose: Choice }) {
  if (choose.error === null) return null;
  return (
    <Callout tone="bad" className="mb-4">
      <span className="wrap-anywhere">{choose.error.message}</span>
    </Callout>
  );
}
