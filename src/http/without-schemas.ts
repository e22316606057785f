/**
 * Our routes give Fastify no schemas: what arrives is parsed by schemas of our own. Its compilers of schemas, which it
 * would load at every start, are left out of the build.
 */
import type { FastifyServerOptions } from "fastify";

const noCompiler = (): never => {
  throw new Error("A route has a schema of Fastify's.");
};

export const withoutSchemas: NonNullable<FastifyServerOptions["schemaController"]> = {
  compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
};
