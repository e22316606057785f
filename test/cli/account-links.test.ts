import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { browserCommand } from "../../src/cli/commands/open.js";
import { openSqliteStore, databasePath } from "../../src/store/sql/sqlite.js";
import { startSmtpServer } from "../support/clients/smtp-server.js";
import { testPlan } from "../support/stores/temporary-store.js";
import { CommandLine } from "./run.js";

let sotto: CommandLine;
beforeEach(async () => {
  sotto = await CommandLine.open();
});
afterEach(() => sotto.dispose());

describe("sotto accounts reset", () => {
  it("prints a link that works once for an hour, and stores no token", async () => {
    await sotto.run("accounts", "create", "ada@example.com");
    const { link, mailed } = (await sotto.json("accounts", "reset", "ada@example.com")) as {
      link: string;
      mailed: boolean;
    };
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/reset#token=[A-Za-z0-9_-]{43}$/);
    expect(mailed).toBe(false);
    const store = await openSqliteStore({ path: databasePath(sotto.dataDir), defaultPlan: testPlan });
    const { createHash } = await import("node:crypto");
    const hash = createHash("sha256")
      .update(link.split("=")[1] ?? "")
      .digest();
    expect(await store.links.find("reset", hash, new Date())).not.toBeNull();
    expect(await store.links.find("reset", hash, new Date(Date.now() + 3_600_000))).toBeNull();
    await store.close();
  });

  it("fails with a message when no account has the address", async () => {
    const { code, stderr } = await sotto.run("accounts", "reset", "nobody@example.com");
    expect(code).toBe(1);
    expect(stderr).toContain("No account has the address");
  });

  it("mails the link when a mail server is configured, and says when that fails", async () => {
    await sotto.run("accounts", "create", "ada@example.com");
    const smtp = await startSmtpServer();
    const env = { SOTTO_SMTP_URL: smtp.url, SOTTO_PUBLIC_URL: "https://chat.example.com" };
    const sent = await sotto.start(["accounts", "reset", "ada@example.com"], { env });
    expect(sent.stdout).toContain("It was mailed to ada@example.com.");
    expect(smtp.mails[0]).toContain("https://chat.example.com/reset#token=");
    await smtp.close();
    const failed = await sotto.start(["accounts", "reset", "ada@example.com"], { env });
    expect(failed).toMatchObject({ code: 0 });
    expect(failed.stdout).toContain("It could not be mailed.");
  });
});

describe("sotto accounts reset-factors", () => {
  it("removes them, says so, and notes it in the audit trail", async () => {
    const { id } = (await sotto.json("accounts", "create", "ada@example.com")) as { id: string };
    const open = () => openSqliteStore({ path: databasePath(sotto.dataDir), defaultPlan: testPlan });
    const before = await open();
    await before.factors.beginTotp(id, "sealed", new Date());
    await before.factors.confirmTotp(id, 7, new Date());
    await before.close();
    const { stdout } = await sotto.run("accounts", "reset-factors", "ada@example.com");
    expect(stdout).toContain("ada@example.com signs in with its password alone");
    const after = await open();
    expect((await after.factors.summary(id)).totpSince).toBeNull();
    const [line] = await after.audit.list(null, 1);
    expect(line).toMatchObject({
      actor: "command line",
      action: "reset second factors of account",
      target: id,
    });
    await after.close();
    expect((await sotto.run("accounts", "reset-factors", "nobody@example.com")).code).toBe(1);
  });
});

describe("sotto accounts invite", () => {
  it("prints a link to sign up with", async () => {
    const { stdout } = await sotto.run("accounts", "invite", "ada@example.com");
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:8080\/sign-up#invite=[A-Za-z0-9_-]{43}/);
    expect((await sotto.run("accounts", "invite")).code).toBe(0);
    expect((await sotto.run("accounts", "invite", "no address")).code).toBe(1);
  });

  it("does not make one that would not work", async () => {
    const { code, stderr } = await sotto.start(["accounts", "invite"], { env: { SOTTO_SIGN_UP: "closed" } });
    expect(code).toBe(1);
    expect(stderr).toContain("sign-up is closed");
  });
});

describe("sotto open", () => {
  it("prints a link for the first admin, with a line in the audit trail", async () => {
    await sotto.run("accounts", "create", "ada@example.com");
    await sotto.run("accounts", "create", "operator@example.com", "--admin");
    const { code, stdout } = await sotto.run("open", "--print", "--url", "https://chat.example.com/");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Sign in as operator@example\.com[^\n]+\n\n {2}https:\/\/chat\.example\.com\/sign-in#token=[\w-]{43}\n$/,
    );
    const store = await openSqliteStore({ path: databasePath(sotto.dataDir), defaultPlan: testPlan });
    const [line] = await store.audit.list(null, 1);
    await store.close();
    expect(line).toMatchObject({ actor: "command line", action: "created sign-in link" });
    expect((await sotto.run("open", "ada@example.com")).stderr).toContain("is not an admin");
  });

  it("prints the set-up link while there is no admin", async () => {
    expect((await sotto.run("open", "--print")).stdout).toMatch(/\/setup#token=[\w-]{43}\n$/);
    expect((await sotto.run("open", "--print")).stderr).toContain("There is no admin yet.");
  });

  it("opens no browser over ssh or without a display", () => {
    expect(browserCommand("linux", { DISPLAY: ":0" })).toEqual(["xdg-open"]);
    expect(browserCommand("linux", {})).toBeNull();
    expect(browserCommand("darwin", { SSH_CONNECTION: "1" })).toBeNull();
  });
});

describe("the audit trail", () => {
  it("records changes made on the command line", async () => {
    await sotto.run("accounts", "create", "ada@example.com");
    const { id } = await sotto.createKey("ada@example.com");
    await sotto.run("keys", "rotate", id);
    await sotto.run("keys", "revoke", id);
    await sotto.run("accounts", "suspend", "ada@example.com");
    await sotto.run("accounts", "resume", "ada@example.com");
    await sotto.run("accounts", "set-plan", "ada@example.com", "free");
    await sotto.run("accounts", "reset", "ada@example.com");
    await sotto.run("changelog", "add", "News");
    await sotto.run("accounts", "delete", "ada@example.com", "--yes");
    const store = await openSqliteStore({ path: databasePath(sotto.dataDir), defaultPlan: testPlan });
    const lines = await store.audit.list(null, 100);
    await store.close();
    expect(new Set(lines.map(({ actor }) => actor))).toEqual(new Set(["command line"]));
    expect(lines.map(({ action }) => action).reverse()).toEqual([
      "created account",
      "created key",
      "rotated key",
      "revoked key",
      "suspended account",
      "resumed account",
      "changed plan of account",
      "created reset link",
      "published changelog entry",
      "deleted account",
    ]);
    expect(JSON.stringify(lines)).not.toContain("ada@");
  });
});
