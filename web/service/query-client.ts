import { MutationCache, QueryCache, QueryClient, type Query } from "@tanstack/react-query";
import { queries } from "./queries.ts";
import { ApiError } from "./request.ts";
import { forgetAccount, noticeSignOut } from "./session.ts";

/**
 * Requests never wait for the network: a change deferred until the browser is online again would happen after its
 * form is gone, creating a key that no one sees. It fails immediately instead, and the form keeps its input.
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
        // Without a response, the change may still have been made: the pages reload the current state.
        if (error instanceof ApiError && error.status === 0) void client.invalidateQueries();
      },
    }),
    defaultOptions: {
      queries: {
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: 5_000,
        // Retries once after a lost connection or a server error; refusals are not retried.
        retry: (failures, error) =>
          failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      },
      mutations: { networkMode: "always" },
    },
  });
  keepErrors(client.getQueryCache());
  return client;
}

/**
 * While there is no data, every attempt clears the error of the one before, and a page that polls would change between
 * the error and a skeleton. The error stays until there is data, or until what was read is forgotten.
 */
function keepErrors(cache: QueryCache): void {
  const errors = new WeakMap<Query, Error>();
  cache.subscribe((event) => {
    if (event.type !== "updated") return;
    const { action } = event;
    const query = event.query as Query;
    const before = errors.get(query);
    if (action.type === "fetch" && before !== undefined && query.state.data === undefined) {
      query.setState({ status: "error", error: before });
    } else if (query.state.error instanceof Error) errors.set(query, query.state.error);
    else errors.delete(query);
  });
}
