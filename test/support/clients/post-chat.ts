/** A chat request as a program without a library sends it, to the service at `url`. */
export const postChat = (
  url: string,
  key: string,
  body: object = {},
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "omega", messages: [{ role: "user", content: "Hi" }], ...body }),
    signal: signal ?? null,
  });
