import { expect, it } from "vitest";
import { localPath } from "./local-path.js";

it("leads to signed-in pages of the service, with their filters, and nowhere else", () => {
  for (const next of ["/app", "/app/keys", "/admin/accounts/acc_1?search=a%40b&x=1"])
    expect(localPath(next)).toBe(next);
  const others = [
    "https://evil.example",
    "//evil.example/app",
    "/\\evil.example",
    "/sign-in",
    "/application",
    "",
  ];
  for (const next of [...others, "/app/../sign-in", "/app#x", "/app\n", "/app?x=//a b", null, undefined])
    expect(localPath(next)).toBe("/app");
});
