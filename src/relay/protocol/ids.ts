import { z } from 'zod';
import { parseSnowflake } from '../../infra/ids/ids.js';

export const snowflake = z.string().transform((text, context) => {
  const value = parseSnowflake(text);
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: 'is not an id' });
  return z.NEVER;
});
