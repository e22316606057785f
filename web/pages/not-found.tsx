import { ButtonLink } from "../components/controls/button.tsx";
import { LogoMark } from "../components/frame/logo.tsx";
import { useTitle } from "../hooks/use-title.ts";

export default function NotFound() {
  useTitle("Not found");
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center px-6 py-[16vh] text-center">
      <LogoMark className="h-10" />
      <h1 className="mt-8 text-3xl">Page not found</h1>
      <p className="mt-3 text-lg text-muted">There is no page at this address. It may have been mistyped.</p>
      <div className="mt-8 flex gap-3">
        <ButtonLink href="/" variant="primary">
          Home
        </ButtonLink>
        <ButtonLink href="/docs">Documentation</ButtonLink>
      </div>
    </div>
  );
}
