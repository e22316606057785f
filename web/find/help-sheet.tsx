import type { ReactNode } from "react";
import { Switch } from "../components/controls/checkbox.tsx";
import { Dialog } from "../components/overlays/dialog.tsx";
import { Keys, modifierKey } from "./keys.tsx";
import { useSingleKeys, type GoTo } from "./shortcuts.ts";

/** Every keyboard shortcut, and the switch for those of a single key. */
export default function HelpSheet({ goTos, onClose }: { goTos: readonly GoTo[]; onClose: () => void }) {
  const [on, turn] = useSingleKeys();
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <div className="flex flex-col gap-6">
        <Group title="Everywhere">
          <Row label="Find anything">
            <Keys keys={[modifierKey, "K"]} /> <span className="text-muted">or</span> <Keys keys={["/"]} />
          </Row>
          <Row label="These shortcuts">
            <Keys keys={["?"]} />
          </Row>
        </Group>
        <Group title="Go to">
          {goTos.map(({ key, label }) => (
            <Row key={key} label={label}>
              <Keys keys={["G", key.toUpperCase()]} then />
            </Row>
          ))}
        </Group>
        <Group title="Playground">
          <Row label="Send">
            <Keys keys={["Enter"]} />
          </Row>
          <Row label="New line">
            <Keys keys={["Shift", "Enter"]} />
          </Row>
          <Row label="Stop the reply">
            <Keys keys={["Esc"]} />
          </Row>
        </Group>
        <div className="border-t border-line pt-5">
          <Switch
            label="Single-key shortcuts"
            hint={`When off, only ${modifierKey} K works. Remembered in this browser.`}
            checked={on}
            onChange={turn}
          />
        </div>
      </div>
    </Dialog>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">{title}</h3>
      <dl className="grid grid-cols-1 gap-x-8 gap-y-2 sm:grid-cols-2">{children}</dl>
    </section>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-4 text-sm">
      <dt className="text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
