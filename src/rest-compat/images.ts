import { z } from 'zod';
import { fault } from '../domain/input.js';

/** Bytes of a body that holds an icon of 10 MiB in base64. */
export const ICON_BODY_BYTES = 14 * 1024 * 1024;

/** An image as the reference platform takes it in JSON: a data URI whose content is base64. Null removes it. */
export const imageData = z
  .string()
  .refine(
    (text) => /^data:image\/[a-z+.-]{1,20};base64,/i.test(text.slice(0, 50)),
    fault('IMAGE_INVALID', 'Must be a data URI of an image in base64.'),
  )
  .transform((text) => Buffer.from(text.slice(text.indexOf(',') + 1), 'base64'));

/** The hash of a picture, as objects show it. */
const HASH = /^(?:a_)?[0-9a-f]{32}$/;

/** A field for another picture: null removes the one there is. A hash says nothing, since libraries send back the one they were shown. */
export const imageChange = z
  .preprocess((value) => (typeof value === 'string' && HASH.test(value) ? undefined : value), imageData.nullish())
  .meta({ shownAs: imageData.nullish() });
