/**
 * The last resort: a page that threw, or a chunk that could not be loaded because the browser is offline or the
 * service was updated in the meantime.
 */
import { Component, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";

export class PageFailure extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    const { title, text } = navigator.onLine ? stopped : offline;
    return (
      <main className="flex min-h-screen flex-col items-center justify-center px-6 text-center">
        <h1 className="text-2xl">{title}</h1>
        <p className="mt-2 max-w-sm text-muted">{text}</p>
        <Button variant="primary" className="mt-6" onClick={() => location.reload()}>
          Reload
        </Button>
      </main>
    );
  }
}

const stopped = {
  title: "This page stopped working",
  text: "It may have been updated while you were here. Reloading usually helps.",
};
const offline = {
  title: "You're offline",
  text: "This page could not be loaded. Check your connection, then reload.",
};
