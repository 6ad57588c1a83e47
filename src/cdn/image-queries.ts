import { z } from 'zod';
import type { ImageForm } from '../infra/images.js';

const SIZED_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const MAX_SIDE = 4_096;
const MIN_SIZE = 16;

const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .transform(Number)
    .refine((number) => number <= max);

const AttachmentQuery = z.object({
  width: wholeNumber(MAX_SIDE).optional(),
  height: wholeNumber(MAX_SIDE).optional(),
  format: z.enum(['png', 'jpeg', 'webp']).optional(),
  quality: z.union([z.literal('lossless'), wholeNumber(100)]).optional(),
});

const SizeQuery = z.object({
  size: wholeNumber(MAX_SIDE)
    .refine((size) => size >= MIN_SIZE && Number.isInteger(Math.log2(size)))
    .optional(),
});

export const ATTACHMENT_QUERY =
  'An image takes width and height (1 to 4096), format (png, jpeg or webp) and quality (1 to 100, or lossless). Each must appear only once.';

export const SIZE_QUERY = 'The size must be a power of two from 16 to 4096 and appear only once.';

/**
 * Types other than images ignore the query.
 * @param contentType as the sender stated it
 * @returns null for an invalid query
 */
export function attachmentForm(contentType: string, query: unknown): ImageForm | null {
  if (!SIZED_TYPES.has(contentType)) return {};
  return AttachmentQuery.safeParse(query).data ?? null;
}

/**
 * Discord docs, Image Formatting.
 * @param kept the largest side, in pixels
 * @returns null for an invalid size
 */
export function sizeForm(query: unknown, kept: number): ImageForm | null {
  const { data } = SizeQuery.safeParse(query);
  if (!data) return null;
  return data.size === undefined || data.size >= kept ? {} : { width: data.size, height: data.size };
}
