import { api } from "../service/api.ts";
import { useChange } from "./use-change.ts";
import { useDeparture } from "./use-departure.ts";

/** Ends this browser's session. */
export function useSignOut(): () => void {
  const depart = useDeparture();
  const leave = useChange(() => api.signOut(), {
    onDone: ({ next }) => {
      depart("/sign-in");
      // The provider's own session ends there, and it sends the browser back.
      if (next !== null) location.assign(next);
    },
    toastsErrors: true,
  });
  return () => leave.mutate();
}
