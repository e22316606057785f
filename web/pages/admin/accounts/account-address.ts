/** Where the page of an account is. */
export const accountAddress = (id: string): string => `/admin/accounts/${encodeURIComponent(id)}`;
