import { describe, expect, it } from "vitest";
import { postgresAddress } from "./postgres-address.js";
import { StoreError } from "../store-error.js";

const base = "postgres://ada:p%40ss@db.example.com:6432/so%20tto";

describe("an address of Postgres", () => {
  it("is read in all its parts", () => {
    expect(postgresAddress(base)).toEqual({
      host: "db.example.com",
      port: 6432,
      database: "so tto",
      user: "ada",
      password: "p@ss",
      ssl: false,
    });
  });

  it("has the defaults of Postgres", () => {
    expect(postgresAddress("postgres://ada@[::1]")).toMatchObject({
      host: "::1",
      port: 5432,
      database: "ada",
    });
    expect(postgresAddress("postgres:///sotto?host=/run/postgresql")).toMatchObject({
      host: "/run/postgresql",
    });
  });

  it("encrypts and checks as much as sslmode says", () => {
    expect(postgresAddress(`${base}?sslmode=require`).ssl).toEqual({ rejectUnauthorized: false });
    expect(postgresAddress(`${base}?sslmode=verify-full`).ssl).toEqual({ rejectUnauthorized: true });
    const issued = postgresAddress(`${base}?sslmode=require&sslrootcert=package.json`).ssl;
    expect(issued).toMatchObject({
      rejectUnauthorized: true,
      ca: expect.stringContaining("sotto") as unknown,
    });
  });

  it("is refused where it would fall back to plain text, or names a file that is not there", () => {
    expect(() => postgresAddress(`${base}?sslmode=prefer`)).toThrow(StoreError);
    expect(() => postgresAddress(`${base}?sslmode=verify-full&sslrootcert=/none`)).toThrow(/cannot be read/);
  });
});
