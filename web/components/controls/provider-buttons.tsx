/** The identity providers that people can choose on a form. Plain links: the service answers with a redirect. */
import type { Site } from "../../../src/protocol/dashboard/api.js";
import { Button, ButtonAnchor } from "./button.tsx";

/** Names may be long, and two may begin alike: nothing of them is cut off. */
const whole = "h-auto! min-h-11 w-full py-2 whitespace-normal!";

interface ProviderButtonsProps {
  providers: Site["providers"];
  /** The page to open afterwards. */
  next: string;
  /** Whether there is another way above them. */
  isSecond: boolean;
}

export function ProviderButtons({ providers, next, isSecond }: ProviderButtonsProps) {
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {isSecond && <Or />}
      {providers.map(({ id, name }) => (
        <ButtonAnchor
          key={id}
          href={`/sign-in/oidc/${id}?${new URLSearchParams({ next }).toString()}`}
          variant={isSecond ? "secondary" : "primary"}
          size="lg"
          className={whole}
        >
          <span className="text-center wrap-anywhere">Continue with {name}</span>
        </ButtonAnchor>
      ))}
    </div>
  );
}

interface ProviderChoiceProps extends Omit<ProviderButtonsProps, "next"> {
  onChoose: (id: string) => void;
  /** The one that is being opened. */
  pending?: string | undefined;
}

/** The same where the page does something itself. */
export function ProviderChoice({ providers, isSecond, onChoose, pending }: ProviderChoiceProps) {
  return providers.map(({ id, name }) => (
    <Button
      key={id}
      variant={isSecond ? "secondary" : "primary"}
      size="lg"
      className={whole}
      pending={pending === id}
      onClick={() => onChoose(id)}
    >
      <span className="text-center wrap-anywhere">Continue with {name}</span>
    </Button>
  ));
}

/** Between one way to sign in and the next. */
export function Or() {
  return (
    <p className="my-4 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      or
    </p>
  );
}
