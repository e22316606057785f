/** The theme as a group of radio buttons: system, light, dark. */
import { Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { useTheme, type Theme } from "../../hooks/use-theme.ts";

const choices = [
  { theme: "system", label: "System theme", Icon: Monitor },
  { theme: "light", label: "Light theme", Icon: Sun },
  { theme: "dark", label: "Dark theme", Icon: Moon },
] satisfies { theme: Theme; label: string; Icon: typeof Sun }[];

export function ThemeSwitch() {
  const [current, setTheme] = useTheme();
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-full border border-line p-0.5">
      <legend className="sr-only">Theme</legend>
      {choices.map(({ theme, label, Icon }) => (
        <label
          key={theme}
          title={label}
          className="flex size-7 cursor-pointer items-center justify-center rounded-full text-muted transition-colors hover:text-ink has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={theme}
            checked={current === theme}
            onChange={() => setTheme(theme)}
            aria-label={label}
            className="sr-only"
          />
          <Icon className="size-3.5" aria-hidden />
        </label>
      ))}
    </fieldset>
  );
}
