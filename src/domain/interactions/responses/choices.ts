import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import type { Interaction, Prisma } from '../../../infra/database/index.js';
import { storedObject } from '../../../infra/database/stored.js';
import { invalidInput } from '../../errors.js';
import type { OfferedChoice } from '../record.js';
import { GREATEST_NUMBER } from '../requests/options.js';
import type { ValueFault } from '../requests/reading.js';

/** @throws INVALID_INPUT at `choices.N.value` if the type of the focused option does not allow it */
export function checkChoices({ data }: Pick<Interaction, 'data'>, choices: readonly OfferedChoice[]): void {
  const type = focusedType(storedObject(data));
  const faults = choices.flatMap(({ value }, index) => {
    const fault = faultOfValue(type, value);
    return fault ? [{ path: `choices.${index}.value`, ...fault }] : [];
  });
  if (faults.length > 0) throw invalidInput(...faults);
}

function focusedType({ options }: Prisma.JsonObject): unknown {
  if (!Array.isArray(options)) return undefined;
  const given = options.map(storedObject);
  const focused = given.find((option) => option.focused === true);
  return focused ? focused.type : given.map(focusedType).find((type) => type !== undefined);
}

function faultOfValue(type: unknown, value: string | number): ValueFault | null {
  switch (type) {
    case Type.String:
      return typeof value === 'string' ? null : NO_TEXT;
    case Type.Integer:
      return Number.isSafeInteger(value) ? null : NO_WHOLE_NUMBER;
    case Type.Number:
      return typeof value === 'number' && Math.abs(value) <= GREATEST_NUMBER ? null : NO_NUMBER;
    default:
      return null;
  }
}

const NO_TEXT: ValueFault = { code: 'STRING_TYPE_CONVERT', message: 'Could not interpret the value as string.' };
const NO_WHOLE_NUMBER: ValueFault = { code: 'NUMBER_TYPE_COERCE', message: 'The value is not a whole number.' };
const NO_NUMBER: ValueFault = { code: 'NUMBER_TYPE_COERCE', message: 'The value is not a number.' };
