/** Where to go after signing in: only ever to a signed-in page of ours, with the filters it had. */
export const localPath = (next: string | null | undefined): string =>
  next != null && /^\/(app|admin)(\/[\w/-]*)?(\?[\w=&%.+-]*)?$/.test(next) ? next : "/app";
