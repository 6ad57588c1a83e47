import { z } from 'zod';
import { nameText } from '../input.js';
import { limits } from '../limits.js';

/** A nickname in the caller's input; an empty one is none. */
export function nickname() {
  return z.preprocess((value) => (value === '' ? null : value), nameText(1, limits.nickname).nullish());
}
