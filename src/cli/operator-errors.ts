/** Errors with messages for the operator: what is wrong, and what to do. All others are bugs. */
import { ConfigError } from "../config.js";
import { AccountError } from "../core/accounts/account-error.js";
import { DashboardError } from "../core/dashboard-error.js";
import { OperatorError } from "../core/operator/operator-error.js";
import { TooFewOpenFiles } from "../open-files.js";
import { StoreError } from "../store/store-error.js";

const operatorErrors = [
  ConfigError,
  AccountError,
  DashboardError,
  StoreError,
  OperatorError,
  TooFewOpenFiles,
];

export const isForOperator = (error: unknown): error is Error =>
  operatorErrors.some((kind) => error instanceof kind);
