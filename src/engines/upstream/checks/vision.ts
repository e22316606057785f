/** Whether an engine's model reads images, as far as the engine reports. */
import { isObject, type JsonObject } from "../../../protocol/read-json.js";
import type { Connection } from "../connection.js";
import { flagOf, objectOf } from "../json-value.js";

/** Undefined where it does not say. `listed` is its model in `/v1/models`, where another Sotto says it. */
export async function hasVision(
  connection: Connection,
  listed: JsonObject | undefined,
  name: string | undefined,
): Promise<boolean | undefined> {
  const { vision } = connection.profile;
  const reported = flagOf(objectOf(listed?.capabilities).vision);
  if (reported !== undefined || vision === "models") return reported;
  return vision === "tokenize" ? tokenizesImages(connection, name) : imageUnderstanding(connection);
}

async function tokenizesImages(
  connection: Connection,
  name: string | undefined,
): Promise<boolean | undefined> {
  const content = [{ type: "image_url", image_url: { url: greySquare } }];
  const body = { model: name, messages: [{ role: "user", content }] };
  const response = await connection.request("/tokenize", { body }).catch(() => null);
  if (response?.status === 200) return true;
  // "… is not a multimodal model", with 400 or, in some releases, 500.
  return response?.status === 400 || response?.status === 500 ? false : undefined;
}

/** Releases before 2026 have only the second. */
async function imageUnderstanding(connection: Connection): Promise<boolean | undefined> {
  for (const path of ["/model_info", "/get_model_info"]) {
    const info = await connection.requestJson(path).catch(() => null);
    if (isObject(info)) return flagOf(info.has_image_understanding);
  }
  return undefined;
}

/** 64 by 64 pixels: some models refuse smaller images. */
const greySquare =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIKMb3RD77SAA6VEEAoFAIBAIBAKBQCAQfA8G320AeXC6efoAAAAASUVORK5CYII=";
