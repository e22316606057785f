import type { FastifyReply } from "fastify";

export const sendScim = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply
    .code(status)
    .header("content-type", "application/scim+json; charset=utf-8")
    .send(JSON.stringify(body));
