import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { KeyPageView } from "../../../../src/protocol/dashboard/keys.js";
import { api } from "../../../service/api.ts";
import { toast } from "../../../components/overlays/toast.tsx";
import { useSpace } from "../../../hooks/use-space.ts";
import { queries } from "../../../service/queries.ts";

const pages = { queryKey: [...queries.keys.queryKey, "page"] };

/** Disables or enables a key. Optimistic: the list shows it immediately and reverts if the service refuses. */
export function useKeySwitch() {
  const client = useQueryClient();
  const { id: team } = useSpace();
  const { queryKey } = queries.keys;
  return useMutation({
    mutationFn: ({ id, enable }: { id: string; enable: boolean }) =>
      api.setKey(id, enable ? "enable" : "disable", team),
    onMutate: async ({ id, enable }) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueriesData<KeyPageView>(pages);
      client.setQueriesData<KeyPageView>(
        pages,
        (page) =>
          page && {
            ...page,
            keys: page.keys.map((key) =>
              key.id === id ? { ...key, status: enable ? ("active" as const) : ("disabled" as const) } : key,
            ),
          },
      );
      return before;
    },
    onSuccess: (key) => toast(key.status === "disabled" ? `${key.name} disabled` : `${key.name} enabled`),
    onError: (error, _change, before) => {
      // If the session ended in the meantime, the cache was cleared and stays so.
      for (const [key, page] of before ?? []) client.setQueryData(key, (now: unknown) => now && page);
      toast(error.message, "bad");
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
