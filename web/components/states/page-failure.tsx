/**
 * A page that threw, or a chunk that could not be loaded because the browser is offline or the service was updated in
 * the meantime. Inside a layout it leaves the layout as it is. It tries again when the browser is online again and
 * when another page is opened.
 */
import { Component, type ReactNode } from "react";
import { forgetFailedLoads } from "../../lazy.tsx";
import { Button } from "../controls/button.tsx";

interface PageFailureProps {
  /** The address of the page. */
  path: string;
  children: ReactNode;
}

interface PageFailureState {
  failed: keyof typeof failures | null;
}

export class PageFailure extends Component<PageFailureProps, PageFailureState> {
  override state: PageFailureState = { failed: null };

  static getDerivedStateFromError(): PageFailureState {
    return { failed: navigator.onLine ? "stopped" : "offline" };
  }

  override componentDidMount() {
    addEventListener("online", this.#retryLoading);
  }

  override componentDidCatch() {
    forgetFailedLoads();
  }

  override componentDidUpdate(before: PageFailureProps) {
    if (before.path !== this.props.path) this.#retry();
  }

  override componentWillUnmount() {
    removeEventListener("online", this.#retryLoading);
  }

  readonly #retry = () => {
    if (this.state.failed !== null) this.setState({ failed: null });
  };

  // What threw for another reason would throw again.
  readonly #retryLoading = () => {
    if (this.state.failed === "offline") this.#retry();
  };

  override render() {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    const { title, text, action } = failures[failed];
    return (
      <div role="alert" className="flex min-h-[60vh] flex-col items-center justify-center px-6 text-center">
        <h1 className="text-2xl">{title}</h1>
        <p className="mt-2 max-w-sm text-muted">{text}</p>
        <Button
          variant="primary"
          className="mt-6"
          onClick={failed === "offline" ? this.#retry : () => location.reload()}
        >
          {action}
        </Button>
      </div>
    );
  }
}

const failures = {
  stopped: {
    title: "This page stopped working",
    text: "It may have been updated while you were here. Reloading usually helps.",
    action: "Reload",
  },
  offline: {
    title: "You're offline",
    text: "This page could not be loaded. It loads as soon as you are connected again.",
    action: "Try again",
  },
};
