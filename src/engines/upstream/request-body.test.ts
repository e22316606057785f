import { describe, expect, it } from "vitest";
import { jsonBody } from "./request-body.js";

const png = (data: string) => ({ url: `data:image/png;base64,${data}` });
const part = (image: { url: string }) => ({ type: "image_url", image_url: image });

describe("the body of a request with images", () => {
  it("is the same JSON as any, whatever is around them", () => {
    const images = [png("AAAA"), png("BBBB"), png("AAAA")];
    const texts = ['a "quoted" \\ 漢 🙂', "\ud800", "data:image/png;base64,AAAA", ""];
    const content = images.map((image, index) => [{ type: "text", text: texts[index] }, part(image)]).flat();
    const body = {
      model: "x",
      messages: [{ role: "user", content }],
      n: undefined,
      url: texts[2],
      last: texts,
    };
    const bytes = jsonBody(body, images);
    expect(Buffer.isBuffer(bytes)).toBe(true);
    expect(bytes.toString()).toBe(Buffer.from(JSON.stringify(body)).toString());
  });

  it("escapes what only looks like one of them", () => {
    const lookalike = { url: 'data:image/png;base64,"}],"n":2' };
    const body = { image: png("AAAA"), lookalike };
    expect(JSON.parse(jsonBody(body, [png("AAAA")]).toString())).toEqual(body);
  });
});
