/** Who may create an account: anyone, those with an invitation, or nobody. */
export type SignUpMode = "open" | "invite" | "closed";
