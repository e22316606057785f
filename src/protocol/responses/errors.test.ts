import { describe, expect, test } from "vitest";
import { ServiceError } from "../../core/errors.js";
import { responsesError } from "./errors.js";

describe("an error that was raised in the terms of chat completions", () => {
  test.each([
    [
      "Invalid schema at 'response_format.json_schema.schema.properties': why.",
      "response_format.json_schema.schema.properties",
      "Invalid schema at 'text.format.schema.properties': why.",
      "text.format.schema.properties",
    ],
    [
      "Following 'response_format' takes too long.",
      "response_format",
      "Following 'text.format' takes too long.",
      "text.format",
    ],
    [
      "Invalid schema at 'tools[2].function.parameters.type': why.",
      "tools[2].function.parameters.type",
      "Invalid schema at 'tools[2].parameters.type': why.",
      "tools[2].parameters.type",
    ],
    [
      "Lower max_tokens or n, or shorten the messages.",
      "max_tokens",
      "Lower max_output_tokens, or shorten the messages.",
      "max_output_tokens",
    ],
    [
      "It does not support 'logprobs' together with 'tools'.",
      "logprobs",
      "It does not support 'top_logprobs' together with 'tools'.",
      "top_logprobs",
    ],
    [
      "However, your messages resulted in 5 tokens.",
      "messages",
      "However, your messages resulted in 5 tokens.",
      "input",
    ],
    [
      "Invalid value for 'messages[1].tool_calls[0].function.arguments': why.",
      "messages[1].tool_calls[0].function.arguments",
      "Invalid value for 'input': why.",
      "input",
    ],
    [
      "Invalid value for 'reasoning_effort': why.",
      "reasoning_effort",
      "Invalid value for 'reasoning.effort': why.",
      "reasoning.effort",
    ],
    [
      "Invalid value for 'input[0].role'.",
      "input[0].role",
      "Invalid value for 'input[0].role'.",
      "input[0].role",
    ],
  ])("%s", (message, param, renamed, renamedParam) => {
    const error = responsesError(new ServiceError("invalid_value", { message, param, retryAfterSeconds: 3 }));
    expect(error).toMatchObject({
      message: renamed,
      param: renamedParam,
      code: "invalid_value",
      retryAfterSeconds: 3,
    });
  });

  test("stays as it is where it names no field", () => {
    const error = new ServiceError("overloaded", { retryAfterSeconds: 3 });
    expect(responsesError(error)).toBe(error);
  });
});
