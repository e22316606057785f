import { expect, it } from "vitest";
import { parseChatRequest } from "../../src/protocol/chat-completions/request.js";
import { samplingDefaults } from "../../web/pages/app/playground/settings.js";

it("the playground shows the defaults that the service takes for a request that says nothing", () => {
  const messages = [{ role: "user", content: "hi" }];
  expect(parseChatRequest({ model: "omega", messages }).sampling).toMatchObject(samplingDefaults);
});
