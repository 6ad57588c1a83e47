import { type FieldFault, invalidInput } from '../../errors.js';
import { snowflake } from '../../input.js';

/** A given id that must refer to an existing entity. */
export interface Wanted {
  kind: 'user' | 'role' | 'channel' | 'mentionable';
  id: bigint;
  path: string;
  /** Empty or undefined allows all types. */
  channelTypes?: readonly number[] | undefined;
}

export interface TakenFile {
  id: bigint;
  path: string;
  /** Empty or undefined allows all types. */
  types: readonly string[] | undefined;
}

export interface Reading {
  faults: FieldFault[];
  wanted: Wanted[];
  /** The input refers to a file by its index here. */
  fileIds: readonly bigint[];
  taken: TakenFile[];
}

export function newReading(fileIds: readonly bigint[] = []): Reading {
  return { faults: [], wanted: [], fileIds, taken: [] };
}

/** @throws INVALID_INPUT with all faults */
export function requireFaultless({ faults }: Reading): void {
  if (faults.length > 0) throw invalidInput(...faults);
}

export type ValueFault = Omit<FieldFault, 'path'>;

export const REQUIRED: ValueFault = { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };

export const REPEATED: ValueFault = {
  code: 'SET_TYPE_ALREADY_CONTAINS_VALUE',
  message: 'The set already contains this value',
};

export function notOneOf(values: readonly (string | number)[]): ValueFault {
  if (values.length === 0) return { code: 'BASE_TYPE_CHOICES', message: 'No value is allowed here.' };
  return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of {${values.join(', ')}}.` };
}

/** For an entity that does not exist or is hidden from the caller. */
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

export function wrongCount(min: number, max: number): ValueFault {
  return { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be between ${min} and ${max} in length.` };
}

const Id = snowflake();

export function readId(value: unknown): bigint | undefined {
  return Id.safeParse(value).data;
}

export const NO_ID: ValueFault = { code: 'NUMBER_TYPE_COERCE', message: 'The value is not a snowflake.' };
