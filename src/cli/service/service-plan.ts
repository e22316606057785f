/** What a service manager needs to run Sotto, as data: `service.ts` carries it out or prints it. */
import type { Environment } from "../environment.js";

type Scope = "system" | "user";

export interface PlannedFile {
  path: string;
  text: string;
  mode: number;
  /** Belongs to the operator: written only where it is missing, and removed with `--purge` only. */
  isSettings?: true;
}

export type Step = readonly string[];

export interface ServicePlan {
  scope: Scope;
  files: readonly PlannedFile[];
  /** Removed with `--purge` only. */
  dataDir: string;
  /** Folders that the service expects; the manager creates the others. */
  folders: readonly string[];
  /** Fails where the manager does not run, as in most containers. */
  probe: Step;
  /** Makes the service known, so that it starts with the machine or the session. */
  enable: readonly Step[];
  /** Starts the service, or restarts it with the files as they are now. */
  start: readonly Step[];
  stop: readonly Step[];
  /** After its files were removed. */
  forget: readonly Step[];
  /** With `--purge`, after everything else. */
  purge: readonly Step[];
  status: Step;
  readStatus: (output: string) => ServiceStatus;
  logs: (lines: number, follow: boolean) => Step;
  /** Said after it was installed. */
  notes: readonly string[];
}

export interface ServiceStatus {
  installed: boolean;
  running: boolean;
  /** Null where the manager does not say. */
  enabled: boolean | null;
  pid: number | null;
  /** In the manager's own words, such as `active (running)`. */
  state: string;
}

/** Where and for whom it is installed. */
export interface Installation {
  scope: Scope;
  /** The program and its arguments, by absolute paths. */
  command: readonly string[];
  home: string;
  uid: number;
  env: Environment;
}

/** The settings that most need; all are in docs/configuration.md. */
export const settingsText = (
  restart: string,
): string => `# Settings of the service, one NAME=value in each line, values with spaces in quotes. All of them: docs/configuration.md
# After a change: ${restart}
#SOTTO_HOST=127.0.0.1
#SOTTO_PORT=8080
#SOTTO_PUBLIC_URL=https://chat.example.com
#SOTTO_SIGN_UP=invite
`;
