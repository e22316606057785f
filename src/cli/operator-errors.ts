/** Errors with messages for the operator: what is wrong, and what to do. All others are bugs. */
import { ConfigError } from "../config.js";
import { UserError } from "../core/user-error.js";
import { DashboardError } from "../core/dashboard-error.js";
import { TooFewOpenFiles } from "../adapters/open-files.js";
import { StoreError } from "../store/store-error.js";

const operatorErrors = [ConfigError, UserError, DashboardError, StoreError, TooFewOpenFiles];

export const isForOperator = (error: unknown): error is Error =>
  operatorErrors.some((kind) => error instanceof kind);
