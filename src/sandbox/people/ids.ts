import { z } from 'zod';
import { parseSnowflake } from '../../infra/ids/ids.js';

/** Stays a string, because the transcript shows the input. */
export const Id = z.string().regex(/^\d{1,20}$/, 'The value must be an id.');

/** 0 for an id that cannot exist, so that the platform says that it is unknown. */
export function idOf(text: string): bigint {
  return parseSnowflake(text) ?? 0n;
}
