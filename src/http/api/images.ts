/**
 * What happens to the images of a request. An engine that can see gets them. For a model that reads text only the
 * request is refused, or the images are left out and a header says so: in a conversation one image comes again with
 * every later turn, and a refusal would end the session of a client that cannot take it back.
 *
 * An address is never passed on: the engine would fetch it from inside the operator's network. Where the operator
 * allows it, the image is fetched here, from public addresses only, and sent on as if the client had sent it.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { DownloadError, type Download } from "../../adapters/download.js";
import { imagesIn, withImages, withoutImages } from "../../core/chat/images.js";
import type { Image } from "../../core/chat/request.js";
import type { ServiceError } from "../../core/errors.js";
import type { ModelId } from "../../core/models.js";
import { isAvailable } from "../../core/serving/engine-port.js";
import { requirePermission } from "../../core/serving/permission.js";
import type { Dialect, ParsedRequest } from "../../protocol/dialect.js";
import { dataUrlOf, isAddress, maxImageBytes } from "../../protocol/images.js";
import { invalidValue, unsupportedValue } from "../../protocol/read-json.js";
import { FairShares } from "../bodies/fair-shares.js";
import { partyOf } from "../../core/serving/party.js";
import { callerOf } from "../connection/caller.js";
import type { HttpParts } from "../parts.js";
import { noteIgnored } from "./ignored.js";

/** Of one request, in all. */
const maxFetchedBytes = maxImageBytes;
const maxAddresses = 10;
/** Requests that fetch, of all accounts and of one. */
const fetching = new FairShares({ total: 8, perOwner: 2, maxWaitMs: 20_000, maxWaiting: 100 });

type ImageParts = Pick<HttpParts, "completions" | "engineStatus" | "images" | "bodies" | "fairness">;

/** The request as it goes on. */
export async function settleImages(
  { completions, engineStatus, images: options, bodies, fairness }: ImageParts,
  dialect: Dialect,
  parsed: ParsedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ParsedRequest> {
  const { chat } = parsed;
  const images = imagesIn(chat.messages);
  const [first] = images;
  if (first === undefined) return parsed;
  const model = completions.names.find(chat.model);
  // Without such a model there is an error that comes first.
  if (model === undefined) return parsed;
  requirePermission(callerOf(request), model);
  const status = engineStatus(model);
  // Whether an engine sees that has not answered yet is not known. It cannot answer this either.
  if (status.follows.vision !== true && isAvailable(status)) {
    const setting = options?.onTextModel(model) ?? "auto";
    if ((setting === "auto" ? dialect.images : setting) !== "omit") throw textOnly(first, model);
    noteIgnored(reply, ["image"]);
    request.exchange.releaseImages?.();
    return { ...parsed, chat: { ...chat, messages: withoutImages(chat.messages) } };
  }
  const addressed = images.filter(isAddress);
  const [firstAddressed] = addressed;
  if (firstAddressed === undefined) return parsed;
  if (options?.download === undefined) throw notFetched(firstAddressed);
  await bodies.holdImages(request, maxFetchedBytes);
  const party = partyOf(callerOf(request), fairness);
  const fetched = await fetchAll(addressed, options.download, request, party);
  const messages = withImages(chat.messages, (image) => ({
    ...image,
    url: fetched.get(image.url) ?? image.url,
  }));
  return { ...parsed, chat: { ...chat, messages } };
}

/** Data URLs by address, each fetched once. */
async function fetchAll(
  images: readonly Image[],
  download: Download,
  request: FastifyRequest,
  party: string,
): Promise<Map<string, string>> {
  const { signal } = request.exchange;
  const release = await fetching.take(party, 1, signal);
  const fetched = new Map<string, string>();
  let leftBytes = maxFetchedBytes;
  try {
    for (const image of images) {
      if (fetched.has(image.url)) continue;
      const path = pathOf(image);
      if (fetched.size === maxAddresses) {
        throw invalidValue(path, `too many images to fetch: expected at most ${maxAddresses} addresses`);
      }
      const bytes = await download(image.url, leftBytes, signal).catch((error: unknown) => {
        throw error instanceof DownloadError
          ? invalidValue(path, `the image cannot be fetched: ${error.message}`)
          : error;
      });
      leftBytes -= bytes.length;
      const url = dataUrlOf(bytes.toString("base64"));
      if (url === undefined)
        throw invalidValue(path, "the address is not that of a PNG, JPEG, GIF or WebP image");
      fetched.set(image.url, url);
    }
    return fetched;
  } finally {
    release();
  }
}

const textOnly = (image: Image, model: ModelId): ServiceError =>
  unsupportedValue(
    pathOf(image),
    `the model '${model}' reads text only. Leave the image out, or use a model whose 'capabilities.vision' is true in GET /v1/models`,
  );

const notFetched = (image: Image): ServiceError =>
  unsupportedValue(
    pathOf(image),
    "this service does not fetch images. Send the image itself, as a data URL or base64",
  );

const pathOf = ({ path = "messages" }: Image): string => path;
