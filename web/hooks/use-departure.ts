import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { liftGuard } from "../service/leave-guard.ts";
import { tellTabs } from "../service/session.ts";

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
