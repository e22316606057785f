/** The same code in several languages, under the names of their tabs. */
const tabs = [
  { id: "curl", label: "curl", language: "bash" },
  { id: "python", label: "Python", language: "python" },
  { id: "node", label: "Node", language: "javascript" },
] as const;

type Tab = (typeof tabs)[number];
type LanguageSample = Tab & { code: string };

export const samplesIn = (code: Partial<Record<Tab["id"], string>>): LanguageSample[] =>
  tabs.flatMap((tab) => {
    const text = code[tab.id];
    return text === undefined ? [] : [{ ...tab, code: text }];
  });
