import { expect, it } from "vitest";
import { relyingPartyOf } from "./relying-party.js";

it.each([
  ["https://chat.example.com", { id: "chat.example.com", origin: "https://chat.example.com" }],
  [
    "https://chat.example.com:8443/sotto",
    { id: "chat.example.com", origin: "https://chat.example.com:8443" },
  ],
  ["http://127.0.0.1:8080", { id: "localhost", origin: "http://localhost:8080" }],
  ["http://[::1]:8080", { id: "localhost", origin: "http://localhost:8080" }],
  ["http://localhost", { id: "localhost", origin: "http://localhost" }],
  ["http://0.0.0.0:8080", null],
  ["http://chat.example.com", null],
  ["https://10.0.0.1", null],
  ["https://[2001:db8::1]", null],
])("of %s is %j", (url, party) => {
  expect(relyingPartyOf(url)).toEqual(party);
});
