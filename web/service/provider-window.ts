/**
 * Proving who someone is at an identity provider, in a window of its own, so that the page keeps what was typed. The two
 * pages cannot reach each other, since the provider's page was between them; the window tells through a channel that it
 * is done. Nothing is believed of that: the service has noted the proof, or refuses again.
 */
const channelName = "identity-confirmed";

/** False where the browser does not allow a window. */
export function openProviderWindow(provider: string): boolean {
  const features = "popup,width=500,height=720";
  return window.open(`/sign-in/oidc/${provider}?confirm`, "_blank", features) !== null;
}

/** For the window, once it is back. */
export function tellConfirmed(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(null);
  channel.close();
}

/** Returns what ends the listening. */
export function onConfirmed(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = listener;
  return () => channel.close();
}
