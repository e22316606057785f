/** Images as clients send them. */

/** A picture of 64 by 64 grey pixels, in base64. */
export const greyPng =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIKMb3RD77SAA6VEEAoFAIBAIBAKBQCAQfA8G320AeXC6efoAAAAASUVORK5CYII=";

/** As the Messages API has it. */
export const pngBlock = {
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png" as const, data: greyPng },
};

/** What begins as a PNG does and has any bytes behind that, in base64. */
export const pngWith = (inside: string | Buffer): string =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from(inside)]).toString("base64");

export const dataUrl = (base64 = greyPng): string => `data:image/png;base64,${base64}`;

/** A question with an image after its text, by each API. */
export const imageQuestions = {
  chat: {
    path: "/v1/chat/completions",
    body: (url = dataUrl()) => ({
      model: "omega",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    }),
    place: "messages[0].content[1]",
  },
  responses: {
    path: "/v1/responses",
    body: (url = dataUrl()) => ({
      model: "omega",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is it?" },
            { type: "input_image", image_url: url },
          ],
        },
      ],
    }),
    place: "input[0].content[1]",
  },
  messages: {
    path: "/v1/messages",
    body: (url = dataUrl()) => ({
      model: "omega",
      max_tokens: 50,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image", source: sourceOf(url) },
          ],
        },
      ],
    }),
    place: "messages[0].content[1]",
  },
};

export function sourceOf(url: string): object {
  const data = /^data:(image\/\w+);base64,(.*)$/s.exec(url);
  return data === null ? { type: "url", url } : { type: "base64", media_type: data[1], data: data[2] };
}
