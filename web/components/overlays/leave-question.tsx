/** While `armed`, asks before the page is left: for content that is kept nowhere else. See service/leave-guard.ts. */
import { useEffect, useState } from "react";
import { raiseGuard } from "../../service/leave-guard.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface LeaveQuestionProps {
  armed: boolean;
  title: string;
  /** The consequence of leaving. */
  children: string;
}

export function LeaveQuestion({ armed, title, children }: LeaveQuestionProps) {
  const [pending, setPending] = useState<{ leave: () => void } | null>(null);
  useEffect(() => (armed ? raiseGuard((leave) => setPending({ leave })) : undefined), [armed]);
  if (pending === null) return null;
  return (
    <ConfirmDialog
      title={title}
      confirm="Leave"
      dismiss="Stay"
      onConfirm={async () => pending.leave()}
      onClose={() => setPending(null)}
    >
      {children}
    </ConfirmDialog>
  );
}
