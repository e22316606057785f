import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../../../components/controls/button.tsx";
import { Field, Input } from "../../../../components/controls/field.tsx";
import { Form } from "../../../../components/controls/form.tsx";
import { Dialog } from "../../../../components/overlays/dialog.tsx";
import { toast } from "../../../../components/overlays/toast.tsx";
import { useMe } from "../../../../hooks/use-me.ts";
import { privateText } from "../private-text.ts";
import type { Settings } from "../settings.ts";
import { longestName, mostPresets, readPresets, withPreset, writePresets, type Preset } from "./presets.ts";

interface PresetsDialogProps {
  settings: Settings;
  onUse: (settings: Settings) => void;
  onClose: () => void;
}

/** Settings saved under a name: use one, delete one, save those of the page. */
export function PresetsDialog({ settings, onUse, onClose }: PresetsDialogProps) {
  const { account } = useMe();
  const [presets, setPresets] = useState(() => readPresets(account.id));
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<Error | null>(null);
  const name = typed.trim();
  const replaced = presets.some((preset) => preset.name === name);
  function keep(next: Preset[], done: string) {
    if (!writePresets(account.id, next)) {
      setError(new Error("Your browser has no room for it, or does not store anything for this site."));
      return;
    }
    setError(null);
    setPresets(next);
    toast(done);
  }
  function save() {
    if (name === "") setError(new Error("Enter a name."));
    else if (!replaced && presets.length >= mostPresets) {
      setError(new Error(`There are ${mostPresets} presets already. Delete one first.`));
    } else {
      keep(withPreset(presets, { name, settings }), `${name} saved`);
      setTyped("");
    }
  }
  return (
    <Dialog
      onClose={onClose}
      title="Presets"
      description="Model, system prompt, tools and the other settings under a name. They are stored in this browser, unencrypted, until you delete them or your account, and sent only as part of your requests."
    >
      <Form id="preset" className="flex items-start gap-2" error={error} onSubmit={save}>
        <Field
          label="Save the current settings as"
          className="min-w-0 flex-1"
          error={error?.message}
          hint={replaced ? "Replaces the preset of that name." : undefined}
        >
          <Input {...privateText} maxLength={longestName} value={typed} onValue={setTyped} />
        </Field>
        <Button type="submit" variant="primary" className="mt-6.5 h-10">
          Save
        </Button>
      </Form>
      {presets.length > 0 && (
        <ul aria-label="Presets" className="mt-5 divide-y divide-line border-y border-line">
          {presets.map((preset) => (
            <li key={preset.name} className="flex items-center gap-2 py-2">
              <span dir="auto" className="min-w-0 flex-1 wrap-anywhere">
                {preset.name}
                <span className="block truncate text-sm text-muted">
                  {preset.settings.system === ""
                    ? preset.settings.model
                    : `${preset.settings.model} · ${preset.settings.system}`}
                </span>
              </span>
              <Button
                size="sm"
                aria-label={`Use ${preset.name}`}
                onClick={() => {
                  onClose();
                  onUse(preset.settings);
                }}
              >
                Use
              </Button>
              <IconButton
                label={`Delete ${preset.name}`}
                onClick={(event) => {
                  // It is about to disappear: the focus moves before that.
                  event.currentTarget.closest("[role=dialog]")?.querySelector("input")?.focus();
                  keep(
                    presets.filter((one) => one !== preset),
                    `${preset.name} deleted`,
                  );
                }}
              >
                <Trash2 />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
