import { z } from 'zod';
import { fault } from '../domain/input.js';

/** Limit of a body with a base64 icon of 10 MiB. */
export const ICON_BODY_BYTES = 14 * 1024 * 1024;

/** Base64 data URI. */
export const imageData = z
  .string()
  .refine(
    (text) => /^data:image\/[a-z+.-]{1,20};base64,/i.test(text.slice(0, 50)),
    fault('IMAGE_INVALID', 'Must be a base64 data URI of an image.'),
  )
  .transform((text) => Buffer.from(text.slice(text.indexOf(',') + 1), 'base64'));

const HASH = /^(?:a_)?[0-9a-f]{32}$/;

/** Null removes the image. A hash is ignored, because libraries send back the one that they received. */
export const imageChange = z
  .preprocess((value) => (typeof value === 'string' && HASH.test(value) ? undefined : value), imageData.nullish())
  .meta({ shownAs: imageData.nullish() });
