/**
 * Settings under a name, in this browser's storage only: nothing of them is sent before a request uses them. One list
 * for each account, since a browser may be shared.
 */
import type { Settings } from "../settings.ts";
import { erasePresets, storageName } from "./erase-presets.ts";
import { settingsOf } from "./saved-conversation.ts";

export interface Preset {
  name: string;
  settings: Settings;
}

export const mostPresets = 50;
export const longestName = 60;

/** None where storage is off or holds anything else. */
export function readPresets(accountId: string): Preset[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(storageName(accountId)) ?? "[]");
    return Array.isArray(saved) ? saved.flatMap(presetOf) : [];
  } catch {
    return [];
  }
}

/** Whether the browser took it. */
export function writePresets(accountId: string, presets: readonly Preset[]): boolean {
  try {
    if (presets.length === 0) erasePresets(accountId);
    else localStorage.setItem(storageName(accountId), JSON.stringify(presets));
    return true;
  } catch {
    return false;
  }
}

/** In the order of their names; one of the same name is replaced. */
export function withPreset(presets: readonly Preset[], preset: Preset): Preset[] {
  return [...presets.filter(({ name }) => name !== preset.name), preset].sort((a, b) =>
    a.name.localeCompare(b.name),
  );
}

function presetOf(value: { name?: unknown; settings?: unknown } | null): Preset[] {
  try {
    const name = value?.name;
    return typeof name === "string" ? [{ name, settings: settingsOf(value?.settings) }] : [];
  } catch {
    return [];
  }
}
