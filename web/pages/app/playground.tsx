/**
 * A chat with the models, using the session instead of a key. Nothing is saved: the conversation is state of this
 * page, so leaving or reloading it erases it, and Back shows an empty one (`use-visit.ts`). No storage, no address,
 * no history entry; the inputs tell the browser not to remember them either.
 */
import { useQuery } from "@tanstack/react-query";
import { Code, EyeOff, SlidersHorizontal, SquarePen } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { modelIds, type ModelId } from "../../../src/protocol/models.js";
import { Button } from "../../components/controls/button.tsx";
import { StarterNote } from "../../components/models/model-facts.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { defaultReplyTokens } from "../../default-reply.ts";
import { useFollowEnd } from "../../hooks/use-follow-end.ts";
import { useMe } from "../../hooks/use-me.ts";
import { queries, useSite } from "../../service/queries.ts";
import { CodeDialog } from "./playground/code-dialog.tsx";
import { Composer } from "./playground/composer.tsx";
import { Conversation } from "./playground/conversation-view.tsx";
import { defaultSettings, settingsErrors } from "./playground/settings.ts";
import { SettingsDialog, SettingsPanel } from "./playground/settings-panel.tsx";
import { useConversation } from "./playground/use-conversation.ts";

export default function Playground() {
  const { plan } = useMe();
  const { data: site } = useSite();
  const models: readonly ModelId[] = plan.models ?? modelIds;
  const [settings, setSettings] = useState(() => defaultSettings(models[0] ?? "omega"));
  const [open, setOpen] = useState<"code" | "settings" | null>(null);
  const chat = useConversation(settings);
  const chosen = useQuery(queries.models).data?.models.filter(({ id }) => id === settings.model) ?? [];
  const { away, toEnd } = useFollowEnd(chat.turns);
  const faults = useMemo(() => settingsErrors(settings), [settings]);
  const blocked = Object.keys(faults).length > 0;
  const message = useRef<HTMLTextAreaElement>(null);
  const defaultTokens = site === undefined ? null : defaultReplyTokens(site, settings.model, plan);
  const panel = { settings, onChange: setSettings, models, defaultTokens, faults };
  // Tools describe what the conversation is about, and are erased with it.
  function clear() {
    chat.clear();
    setSettings((now) => ({ ...now, tools: "", toolChoice: "" }));
  }
  return (
    <div className="-mb-7 flex min-h-[calc(100dvh-5.25rem)] flex-col lg:-mb-11 lg:min-h-[calc(100dvh-2.75rem)]">
      <PageHeader
        title="Playground"
        description={
          <>
            <EyeOff className="mr-1.5 -mt-0.5 inline size-4" aria-hidden />
            Nothing here is saved, not even in your browser. Leaving the page erases it.
          </>
        }
        actions={
          <>
            <Button icon={<SlidersHorizontal />} className="lg:hidden" onClick={() => setOpen("settings")}>
              Settings
            </Button>
            <Button icon={<Code />} onClick={() => setOpen("code")}>
              View code
            </Button>
            <Button icon={<SquarePen />} disabled={chat.turns.length === 0} onClick={clear}>
              Clear
            </Button>
          </>
        }
      />
      <div className="grid grid-cols-1 flex-1 gap-10 lg:grid-cols-[minmax(0,1fr)_17rem]">
        <div className="flex min-w-0 flex-col">
          <div className="flex-1">
            {chat.turns.length === 0 && <StarterNote models={chosen} className="mb-6" />}
            <Conversation
              chat={chat}
              blocked={blocked}
              onAnswer={(results) => {
                // The form with the results is about to disappear: the focus moves before that.
                message.current?.focus();
                chat.answer(results);
                toEnd();
              }}
            />
          </div>
          <Composer
            running={chat.running}
            away={away}
            onToEnd={toEnd}
            blocked={blocked}
            field={message}
            onStop={chat.stop}
            onSend={(text) => {
              chat.send(text);
              toEnd();
            }}
          />
        </div>
        <aside aria-label="Settings" className="hidden lg:block">
          <div className="sticky top-11 -mr-3 -ml-1 max-h-[calc(100dvh-11rem)] overflow-y-auto pr-3 pb-1 pl-1">
            <SettingsPanel {...panel} />
          </div>
        </aside>
      </div>
      {open === "settings" && <SettingsDialog {...panel} onClose={() => setOpen(null)} />}
      {open === "code" && <CodeDialog settings={settings} turns={chat.turns} onClose={() => setOpen(null)} />}
    </div>
  );
}
