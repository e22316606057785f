/**
 * The keyboard shortcuts of the signed-in pages. Those of a single letter act only outside inputs and while nothing is
 * open, and can be switched off, for people who use speech input or a screen reader. That choice is kept in the
 * browser's storage, like the theme and nothing else.
 */
import { useEffect, useEffectEvent, useRef, useState } from "react";

export interface GoTo {
  key: string;
  label: string;
  href: string;
}

const goTos: readonly GoTo[] = [
  { key: "o", label: "Overview", href: "/app" },
  { key: "k", label: "Keys", href: "/app/keys" },
  { key: "c", label: "Connect", href: "/app/connect" },
  { key: "u", label: "Usage", href: "/app/usage" },
  { key: "p", label: "Playground", href: "/app/playground" },
  { key: "l", label: "Limits", href: "/app/limits" },
  { key: "a", label: "Account", href: "/app/account" },
  { key: "y", label: "Security", href: "/app/security" },
  { key: "d", label: "Documentation", href: "/docs" },
  { key: "s", label: "Service usage", href: "/admin/usage" },
  { key: "n", label: "Accounts", href: "/admin/accounts" },
  { key: "m", label: "Models", href: "/admin/models" },
  { key: "e", label: "Engines", href: "/admin/engines" },
  { key: "t", label: "Audit trail", href: "/admin/audit" },
];

/** Those for pages that this account can open. */
export const goTosAmong = (links: readonly { href: string }[]): readonly GoTo[] =>
  goTos.filter(({ href }) => !href.startsWith("/admin") || links.some((link) => link.href === href));

/** The second key of a sequence must follow within this time. */
const pairMs = 1_500;

interface Actions {
  goTos: readonly GoTo[];
  onFind: () => void;
  onHelp: () => void;
  onGo: (href: string) => void;
}

export function useShortcuts(actions: Actions): void {
  const prefixAt = useRef(-Infinity);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const { key } = event;
    if ((event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === "k") {
      if (isSomethingOpen()) return;
      event.preventDefault();
      actions.onFind();
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (!singleKeysOn() || isSomethingOpen()) return;
    const target =
      event.timeStamp - prefixAt.current < pairMs ? actions.goTos.find((one) => one.key === key) : undefined;
    prefixAt.current = key === "g" ? event.timeStamp : -Infinity;
    if (target !== undefined) actions.onGo(target.href);
    else if (key === "/") actions.onFind();
    else if (key === "?") actions.onHelp();
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // In a select, letters choose an option.
  return target.isContentEditable || target.matches("input, textarea, select");
}

function isSomethingOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
}

const name = "shortcuts";
let offForThisPage = false;

function singleKeysOn(): boolean {
  try {
    return !offForThisPage && localStorage.getItem(name) !== "off";
  } catch {
    return !offForThisPage;
  }
}

export function useSingleKeys(): [on: boolean, turn: (on: boolean) => void] {
  const [on, setOn] = useState(singleKeysOn);
  return [
    on,
    (next) => {
      offForThisPage = !next;
      try {
        if (next) localStorage.removeItem(name);
        else localStorage.setItem(name, "off");
      } catch {
        // Storage is blocked: the choice lasts until the page is closed.
      }
      setOn(next);
    },
  ];
}
