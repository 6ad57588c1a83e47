import { ComponentType as Type } from 'discord-api-types/v10';
import { NO_ID, notOneOf, REPEATED, REQUIRED, type Reading, readId, type Wanted, wrongCount } from './reading.js';

/** What the ids of each select stand for; the values of the others are those of their options. */
const KINDS: ReadonlyMap<number, Wanted['kind']> = new Map([
  [Type.UserSelect, 'user'],
  [Type.RoleSelect, 'role'],
  [Type.MentionableSelect, 'mentionable'],
  [Type.ChannelSelect, 'channel'],
]);

/** What is chosen from: a select, or boxes to check. */
export interface Choosable {
  type: number;
  /** Of one that is not of ids. */
  options?: readonly { value: string }[] | undefined;
  /** The types of channels that can be chosen; any when that is missing or empty. */
  channel_types?: readonly number[] | undefined;
}

/** How many values a select takes. */
export interface Bounds {
  min: number;
  max: number;
  /** Whether none will do as well. */
  mayBeEmpty: boolean;
}

/** Reads what was chosen in a select, in the order in which it was. @returns the values as the wire has them */
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

/** Notes where there are too few values, or too many. */
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
