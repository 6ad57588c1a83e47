import { type FieldFault, invalidInput } from '../errors.js';
import { snowflake } from '../input.js';

/** An id that somebody gave, for something that has to be there. */
export interface Wanted {
  kind: 'user' | 'role' | 'channel' | 'mentionable';
  id: bigint;
  /** Where it stands in the input. */
  path: string;
  /** The types that a channel may have; any when that is missing or empty. */
  channelTypes?: readonly number[] | undefined;
}

/** A file that somebody gave for something. */
export interface TakenFile {
  id: bigint;
  /** Where it was given. */
  path: string;
  /** What it may be; anything when that is missing or empty. */
  types: readonly string[] | undefined;
}

/** What came of reading somebody's input so far: what is wrong with it, what has to be looked up, and what each file is for. */
export interface Reading {
  faults: FieldFault[];
  wanted: Wanted[];
  /** The ids of the files that go with the input, which speaks of them by their place in this list. */
  fileIds: readonly bigint[];
  taken: TakenFile[];
}

export function newReading(fileIds: readonly bigint[] = []): Reading {
  return { faults: [], wanted: [], fileIds, taken: [] };
}

/** @throws INVALID_INPUT with all that is wrong */
export function requireFaultless({ faults }: Reading): void {
  if (faults.length > 0) throw invalidInput(...faults);
}

/** What is wrong with a value, without where it stands. */
export type ValueFault = Omit<FieldFault, 'path'>;

export const REQUIRED: ValueFault = { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };

/** For one of several that may stand once. */
export const REPEATED: ValueFault = {
  code: 'SET_TYPE_ALREADY_CONTAINS_VALUE',
  message: 'The set already contains this value',
};

export function notOneOf(values: readonly (string | number)[]): ValueFault {
  if (values.length === 0) return { code: 'BASE_TYPE_CHOICES', message: 'No value is possible here.' };
  return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of {${values.join(', ')}}.` };
}

/** For the id of what is not there, or not to be seen. */
export function unknownOf(kind: Wanted['kind']): ValueFault {
  const what = NAMES[kind];
  return { code: `UNKNOWN_${what.toUpperCase()}`, message: `Unknown ${what}` };
}

const NAMES: Record<Wanted['kind'], string> = { user: 'User', mentionable: 'User', role: 'Role', channel: 'Channel' };

export function tooShort(min: number): ValueFault {
  return { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be ${min} or more in length.` };
}

export function tooLong(max: number): ValueFault {
  return { code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${max} or fewer in length.` };
}

/** For a list of too few or too many. */
export function wrongCount(min: number, max: number): ValueFault {
  return { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be between ${min} and ${max} in length.` };
}

const Id = snowflake();

/** The id that a value stands for; undefined for what is none. One that is too large is nobody's. */
export function readId(value: unknown): bigint | undefined {
  return Id.safeParse(value).data;
}

export const NO_ID: ValueFault = { code: 'NUMBER_TYPE_COERCE', message: 'The value is not snowflake.' };
