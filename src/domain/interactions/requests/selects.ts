import { ComponentType as Type } from 'discord-api-types/v10';
import { NO_ID, notOneOf, REPEATED, REQUIRED, type Reading, readId, type Wanted, wrongCount } from './reading.js';

/** Selects whose values are ids. Other selects take the values of their options. */
const KINDS: ReadonlyMap<number, Wanted['kind']> = new Map([
  [Type.UserSelect, 'user'],
  [Type.RoleSelect, 'role'],
  [Type.MentionableSelect, 'mentionable'],
  [Type.ChannelSelect, 'channel'],
]);

/** A select or a checkbox group. */
export interface Choosable {
  type: number;
  /** Undefined for a select of ids. */
  options?: readonly { value: string }[] | undefined;
  /** Empty or undefined allows all types. */
  channel_types?: readonly number[] | undefined;
}

export interface Bounds {
  min: number;
  max: number;
  /** Whether an empty list is valid even if `min` is greater than 0. */
  mayBeEmpty: boolean;
}

/** Keeps the order of the values. @returns the values in wire format */
export function readChosen(
  reading: Reading,
  select: Choosable,
  values: readonly string[],
  bounds: Bounds,
  path: string,
): string[] {
  checkCount(reading, values, bounds, path);
  return values.map((value, index) => {
    if (values.indexOf(value) < index) reading.faults.push({ path: `${path}.${index}`, ...REPEATED });
    return readValue(reading, select, value, `${path}.${index}`);
  });
}

export function checkCount(
  { faults }: Reading,
  { length }: readonly string[],
  { min, max, mayBeEmpty }: Bounds,
  path: string,
): void {
  if (length === 0) {
    if (min > 0 && !mayBeEmpty) faults.push({ path, ...REQUIRED });
  } else if (length < min || length > max) faults.push({ path, ...wrongCount(min, max) });
}

function readValue(reading: Reading, select: Choosable, value: string, path: string): string {
  const kind = KINDS.get(select.type);
  if (kind === undefined) {
    const known = (select.options ?? []).map((option) => option.value);
    if (!known.includes(value)) reading.faults.push({ path, ...notOneOf(known) });
    return value;
  }
  const id = readId(value);
  if (id === undefined) reading.faults.push({ path, ...NO_ID });
  else reading.wanted.push({ kind, id, path, channelTypes: select.channel_types });
  return String(id);
}
