import { useMutation, useQueryClient, type QueryKey } from "@tanstack/react-query";
import { toast } from "../components/overlays/toast.tsx";

interface ChangeOptions<Result, Input> {
  /** Confirms it: "Plan changed". */
  done?: string | ((result: Result, input: Input) => string);
  /** After that, such as closing the form. */
  onDone?: (result: Result, input: Input) => unknown;
  /** What it may have changed: keys of queries, or how they begin. */
  reads?: readonly QueryKey[];
  /** For a button without a form that would show them. */
  toastsErrors?: boolean;
}

/** A change that someone makes on a page: what is confirmed, and read again, when it is made. */
export function useChange<Result, Input = void>(
  change: (input: Input) => Promise<Result>,
  { done, onDone, reads = [], toastsErrors = false }: ChangeOptions<Result, Input> = {},
) {
  const readAgain = useReadAgain();
  return useMutation({
    mutationFn: (input: Input) => change(input),
    onSuccess: async (result, input) => {
      if (done !== undefined) toast(typeof done === "string" ? done : done(result, input));
      await onDone?.(result, input);
      await readAgain(reads);
    },
    onError: (error) => {
      if (toastsErrors) toast(error.message, "bad");
    },
    // What was sent or came back may be a secret: it must not stay in the cache of mutations.
    gcTime: 0,
  });
}

/** Settles once the queries on the page are read again. */
export function useReadAgain(): (keys: readonly QueryKey[]) => Promise<unknown> {
  const client = useQueryClient();
  return (keys) => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
