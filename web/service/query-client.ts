import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { queries } from "./queries.ts";
import { ApiError } from "./request.ts";
import { forgetAccount, noticeSignOut } from "./session.ts";

/**
 * Nothing waits for the network: a change that is held back until the browser is online again would be made
 * after its form is gone, a key created that nobody sees. It fails immediately instead, and the form keeps what was
 * entered.
 */
export function makeQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => noticeSignOut(client, error),
      onSuccess: () => {
        if (client.getQueryData(queries.site.queryKey)?.me === null) forgetAccount(client);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        noticeSignOut(client, error);
        // Without a response it may have been made all the same: the pages show the current state.
        if (error instanceof ApiError && error.status === 0) void client.invalidateQueries();
      },
    }),
    defaultOptions: {
      queries: {
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: 5_000,
        // Once more after a lost connection or an error of the service; a refusal stays a refusal.
        retry: (failures, error) =>
          failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      },
      mutations: { networkMode: "always" },
    },
  });
  return client;
}
