import { useMutation } from "@tanstack/react-query";
import { toast } from "../components/overlays/toast.tsx";
import { api } from "../service/api.ts";
import { useDeparture } from "./use-departure.ts";

/** Ends this browser's session. */
export function useSignOut(): () => void {
  const depart = useDeparture();
  const leave = useMutation({
    mutationFn: () => api.signOut(),
    onSuccess: ({ next }) => {
      depart("/sign-in");
      // The provider's own session ends there, and it sends the browser back.
      if (next !== null) location.assign(next);
    },
    onError: (error) => toast(error.message, "bad"),
  });
  return () => leave.mutate();
}
