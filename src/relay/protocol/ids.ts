import { z } from 'zod';
import { parseSnowflake } from '../../infra/ids.js';

/** A snowflake as decimal text, as a bigint. */
export const snowflake = z.string().transform((text, context) => {
  const value = parseSnowflake(text);
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: 'is no id' });
  return z.NEVER;
});
