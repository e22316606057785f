/** Where an account's presets are in the browser's storage. */
export const storageName = (accountId: string): string => `playground-presets-${accountId}`;

/** Nothing to erase where storage is off. */
export function erasePresets(accountId: string): void {
  try {
    localStorage.removeItem(storageName(accountId));
  } catch {
    return;
  }
}
