/** Where the page of an account is, which may be a team. */
export const accountAddress = (id: string): string =>
  `/admin/${id.startsWith("team_") ? "teams" : "accounts"}/${encodeURIComponent(id)}`;
