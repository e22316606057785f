import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { api } from "../service/api.ts";
import { liftGuard } from "../service/leave-guard.ts";
import { tellTabs } from "../service/session.ts";
import { useChange } from "./use-change.ts";

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

/** Leaves the signed-in pages, in every tab. No data of one account may stay in memory for the next. */
export function useDeparture(): (to: string) => void {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (to) => {
    liftGuard();
    navigate(to);
    client.clear();
    tellTabs("signed out");
  };
}
