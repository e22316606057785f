/**
 * A chat with the models, using the session instead of a key. Nothing is saved unless somebody asks for it
 * (`saved/`): the conversation is state of this page, so leaving or reloading it erases it, and Back shows an empty
 * one (`use-visit.ts`). No storage, no address, no history entry; the inputs tell the browser not to remember them
 * either.
 */
import { useQuery } from "@tanstack/react-query";
import {
  Code,
  Columns2,
  Download,
  Ellipsis,
  EyeOff,
  SlidersHorizontal,
  SquarePen,
  Upload,
} from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { chatModelIds, type ChatModelId } from "../../../src/core/models.js";
import type { PlanView } from "../../../src/protocol/dashboard/api.js";
import type { TeamPage } from "../../../src/protocol/dashboard/teams.js";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Menu, MenuItem } from "../../components/controls/menu.tsx";
import { LeaveQuestion } from "../../components/overlays/leave-question.tsx";
import { StarterNote } from "../../components/models/model-facts.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { LoadState } from "../../components/states/loaded.tsx";
import { cx } from "../../cx.ts";
import { defaultReplyTokens } from "../../default-reply.ts";
import { useFollowEnd } from "../../hooks/use-follow-end.ts";
import { useMe } from "../../hooks/use-me.ts";
import { useSpace } from "../../hooks/use-space.ts";
import { queries, useSite } from "../../service/queries.ts";
import { useTeam } from "../../service/teams.ts";
import { CodeDialog } from "./playground/code-dialog.tsx";
import { ComparedModels } from "./playground/compare/compared-models.tsx";
import { Comparison } from "./playground/compare/comparison.tsx";
import { Composer } from "./playground/composer.tsx";
import { Conversation } from "./playground/conversation-view.tsx";
import type { CallResult } from "./playground/conversation.ts";
import { ExportDialog } from "./playground/saved/export-dialog.tsx";
import { ImportDialog } from "./playground/saved/import-dialog.tsx";
import { PresetsDialog } from "./playground/saved/presets-dialog.tsx";
import type { SavedConversation } from "./playground/saved/saved-conversation.ts";
import { defaultSettings, settingsErrors, type Settings } from "./playground/settings.ts";
import { SettingsDialog, SettingsPanel } from "./playground/settings-panel.tsx";
import { useConversation, type Chat } from "./playground/use-conversation.ts";

export default function Playground() {
  const { id } = useSpace();
  const { plan } = useMe();
  const read = useTeam(id);
  const { data: team } = read;
  if (id === null) return <PlaygroundOf plan={plan} team={null} />;
  if (team === undefined) return <LoadState query={read} what="the team" lines={6} />;
  return <PlaygroundOf key={id} plan={team.plan} team={team} />;
}

interface PlaygroundOfProps {
  plan: PlanView;
  /** Null in one's own account. */
  team: TeamPage | null;
}

function PlaygroundOf({ plan, team }: PlaygroundOfProps) {
  const { data: site } = useSite();
  const models = chatModelIds.filter((id) => plan.models?.includes(id) !== false);
  const [settings, setSettings] = useState(() => defaultSettings(models[0] ?? "omega"));
  /** The model to compare with; null when there is only one. */
  const [second, setSecond] = useState<ChatModelId | null>(null);
  const [open, setOpen] = useState<"code" | "settings" | "presets" | "export" | "import" | null>(null);
  const [hasDraft, setHasDraft] = useState(false);
  const first = useConversation(settings, team?.id ?? null);
  const other = useConversation({ ...settings, model: second ?? settings.model }, team?.id ?? null);
  const comparing = second !== null;
  const chats = comparing ? [first, other] : [first];
  const running = chats.some((chat) => chat.running);
  const asked = second === null ? [settings.model] : [settings.model, second];
  const chosen =
    useQuery(queries.models).data?.models.filter(({ id }) => asked.some((one) => one === id)) ?? [];
  const turns = useMemo(() => [...first.turns, ...other.turns], [first.turns, other.turns]);
  const { away, toEnd } = useFollowEnd(turns);
  const faults = useMemo(() => settingsErrors(settings), [settings]);
  const blocked = Object.keys(faults).length > 0;
  const message = useRef<HTMLTextAreaElement>(null);
  const defaultTokens = site === undefined ? [] : asked.map((model) => defaultReplyTokens(site, model, plan));
  const onPresets = () => setOpen("presets");
  const panel = { settings, onChange: setSettings, models, defaultTokens, comparing, faults, onPresets };
  const isTyped = hasDraft || settings.system.trim() !== "" || settings.tools.trim() !== "";
  // Tools describe what the conversation is about, and are erased with it.
  function clear() {
    for (const chat of chats) chat.clear();
    setSettings((now) => ({ ...now, tools: "", toolChoice: "" }));
  }
  function compare() {
    other.adopt(first.turns);
    setSecond(models.find((model) => model !== settings.model) ?? settings.model);
    message.current?.focus();
  }
  function keepOnly(place: 0 | 1) {
    if (place === 1 && second !== null) {
      first.adopt(other.turns);
      setSettings({ ...settings, model: second });
    }
    other.clear();
    setSecond(null);
    message.current?.focus();
  }
  /** Settings of another place may name a model that this account does not have. */
  function takeSettings(saved: Settings) {
    const model = models.includes(saved.model) ? saved.model : settings.model;
    setSettings({ ...saved, model });
  }
  function take({
    settings: saved,
    second: with_,
    conversations: [turns = [], others = []],
  }: SavedConversation) {
    takeSettings(saved);
    first.adopt(turns);
    other.adopt(others);
    setSecond(with_ !== null && models.includes(with_) ? with_ : null);
    message.current?.focus();
  }
  // The pressed button is about to disappear: the focus moves first.
  function regenerate(chat: Chat, id: number) {
    message.current?.focus();
    chat.regenerate(id);
  }
  function answer(chat: Chat, results: readonly CallResult[]) {
    message.current?.focus();
    chat.answer(results);
    toEnd();
  }
  return (
    <div className="-mb-7 flex min-h-[calc(100dvh-5.25rem)] flex-col lg:-mb-11 lg:min-h-[calc(100dvh-2.75rem)]">
      <PageHeader
        title="Playground"
        description={
          <>
            <EyeOff className="mr-1.5 -mt-0.5 inline size-4" aria-hidden />
            Nothing here is saved unless you export it or save a preset. Leaving the page erases it.
            {team !== null && (
              <span className="wrap-anywhere"> Requests count against the limits of {team.name}.</span>
            )}
          </>
        }
        actions={
          <>
            <Button
              icon={<SlidersHorizontal />}
              className={cx("max-sm:px-2.5", !comparing && "lg:hidden")}
              onClick={() => setOpen("settings")}
            >
              Settings
            </Button>
            {models.length > 1 && !comparing && (
              <Button icon={<Columns2 />} disabled={running} onClick={compare}>
                Compare
              </Button>
            )}
            <Button icon={<Code />} className="max-sm:px-2.5" onClick={() => setOpen("code")}>
              View code
            </Button>
            <Button
              icon={<SquarePen />}
              className="max-sm:px-2.5"
              disabled={turns.length === 0}
              onClick={clear}
            >
              Clear
            </Button>
            <Menu
              trigger={
                <IconButton label="More" className="max-sm:-ml-1.5">
                  <Ellipsis />
                </IconButton>
              }
            >
              <MenuItem
                icon={<Download />}
                disabled={turns.length === 0 || running}
                onSelect={() => setOpen("export")}
              >
                Export conversation…
              </MenuItem>
              <MenuItem icon={<Upload />} disabled={running} onSelect={() => setOpen("import")}>
                Import conversation…
              </MenuItem>
            </Menu>
          </>
        }
      />
      {second !== null && (
        <ComparedModels
          models={models}
          chosen={[settings.model, second]}
          locked={running}
          onChoose={(place, model) => (place === 0 ? setSettings({ ...settings, model }) : setSecond(model))}
          onRemove={(place) => keepOnly(place === 0 ? 1 : 0)}
        />
      )}
      <div
        className={cx("grid grid-cols-1 flex-1 gap-10", !comparing && "lg:grid-cols-[minmax(0,1fr)_17rem]")}
      >
        <div className="flex min-w-0 flex-col">
          <div className="flex-1">
            {turns.length === 0 && <StarterNote models={chosen} className="mb-6" />}
            {comparing ? (
              <Comparison
                chats={[first, other]}
                blocked={blocked}
                onRegenerate={regenerate}
                onAnswer={answer}
              />
            ) : (
              <Conversation
                chat={first}
                blocked={blocked}
                onRegenerate={(id) => regenerate(first, id)}
                onAnswer={(results) => answer(first, results)}
              />
            )}
          </div>
          <Composer
            running={running}
            away={away}
            onToEnd={toEnd}
            blocked={blocked}
            field={message}
            onDraft={setHasDraft}
            onStop={() => {
              for (const chat of chats) chat.stop();
            }}
            onSend={(text) => {
              for (const chat of chats) chat.send(text);
              toEnd();
            }}
          />
        </div>
        {!comparing && (
          <aside aria-label="Settings" className="hidden lg:block">
            <div className="sticky top-11 -mr-3 -ml-1 max-h-[calc(100dvh-11rem)] overflow-y-auto pr-3 pb-1 pl-1">
              <SettingsPanel {...panel} />
            </div>
          </aside>
        )}
      </div>
      <LeaveQuestion armed={turns.length > 0 || isTyped} title="Leave the playground?">
        The conversation and your draft are not saved anywhere. Leaving erases them.
      </LeaveQuestion>
      {open === "settings" && <SettingsDialog {...panel} onClose={() => setOpen(null)} />}
      {open === "presets" && (
        <PresetsDialog settings={settings} onUse={takeSettings} onClose={() => setOpen(null)} />
      )}
      {open === "export" && (
        <ExportDialog
          conversation={{ settings, second, conversations: chats.map((chat) => chat.turns) }}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "import" && (
        <ImportDialog replaces={turns.length > 0 || isTyped} onImport={take} onClose={() => setOpen(null)} />
      )}
      {open === "code" && (
        <CodeDialog settings={settings} turns={first.turns} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}
