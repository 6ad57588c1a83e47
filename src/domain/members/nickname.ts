import { z } from 'zod';
import { nameText } from '../input.js';
import { limits } from '../limits.js';

export function nickname() {
  return z.preprocess((value) => (value === '' ? null : value), nameText(1, limits.nickname).nullish());
}
