/** The ways in which the bytes of an image reach the service. */
import { expect } from "vitest";
import { dataUrl, imageQuestions, pngWith } from "../support/inputs/images.js";
import type { Installation } from "./installation.js";
import { failed, type Way } from "./ways.js";

type Api = keyof typeof imageQuestions;

function post({ sotto, key }: Installation, api: Api, url: string, more: object = {}): Promise<Response> {
  const { path, body } = imageQuestions[api];
  return fetch(sotto.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body(url), ...more }),
  });
}

const omitted =
  (api: Api, bytes = 0, more: object = {}): Way =>
  async (installation, canary) => {
    const url = dataUrl(pngWith(canary + " ".repeat(bytes) + canary));
    const response = await post(installation, api, url, more);
    expect([response.status, response.headers.get("sotto-ignored")]).toEqual([200, "image"]);
    await response.arrayBuffer();
    return "";
  };

export const images: Record<string, Way> = {
  "an image in a message that is left out": omitted("messages"),
  "an image in a response that is left out": omitted("responses", 0, { max_output_tokens: 16, stream: true }),
  "an image larger than a text may be": omitted("messages", 5_000_000),
};

export const refusedImages: Record<string, Way> = {
  "an image that a chat refuses": async (installation, canary) =>
    failed(await post(installation, "chat", dataUrl(pngWith(canary))), 400, "unsupported_value"),
  "an image in bad base64": async (installation, canary) =>
    failed(await post(installation, "messages", `${dataUrl(pngWith(canary))}*`), 400),
  "an image that is none": async (installation, canary) =>
    failed(await post(installation, "responses", dataUrl(Buffer.from(canary).toString("base64"))), 400),
  "the address of an image": async (installation, canary) => {
    const address = `https://example.com/${encodeURIComponent(canary)}`;
    return failed(await post(installation, "chat", address), 400);
  },
};
