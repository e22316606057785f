/** `images`: pictures in base64, without saying of what kind they are. They come before the text. */
import type { ContentPart } from "../../core/chat/request.js";
import { contentOf, textPart, type Content } from "../content.js";
import { base64Image, imagePart } from "../images.js";
import type { Reader } from "../read-json.js";
import * as json from "../read-json.js";

export const imageList: Reader<ContentPart[]> = (value, path) =>
  json.array(value, path).map((item, index) => {
    const place = `${path}[${index}]`;
    const data = json.string(item, place).replace(/^data:[\w/+.-]{1,64};base64,/, "");
    return imagePart(base64Image(data, place), place);
  });

export const withImages = (text: string, images: readonly ContentPart[]): Content =>
  contentOf(text === "" ? images : [...images, textPart(text)]);
