import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../../service/api.ts";
import { toast } from "../../../components/overlays/toast.tsx";
import { queries } from "../../../service/queries.ts";

/** Disables or enables a key. Optimistic: the list shows it immediately and reverts if the service refuses. */
export function useKeySwitch() {
  const client = useQueryClient();
  const { queryKey } = queries.keys;
  return useMutation({
    mutationFn: ({ id, enable }: { id: string; enable: boolean }) =>
      api.setKey(id, enable ? "enable" : "disable"),
    onMutate: async ({ id, enable }) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, (list) =>
        list === undefined
          ? list
          : {
              keys: list.keys.map((key) =>
                key.id === id
                  ? { ...key, status: enable ? ("active" as const) : ("disabled" as const) }
                  : key,
              ),
            },
      );
      return before;
    },
    onSuccess: (key) => toast(key.status === "disabled" ? `${key.name} disabled` : `${key.name} enabled`),
    onError: (error, _change, before) => {
      // Dropped meanwhile if the session ended: then it stays dropped.
      client.setQueryData(queryKey, (list) => list && before);
      toast(error.message, "bad");
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
