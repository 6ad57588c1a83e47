import { ComponentType as Type } from 'discord-api-types/v10';
import { characters } from '../../input.js';
import { fileOfNumber, NO_FILE } from './given-files.js';
import type { SubmittedInput, SubmittedPart } from './input.js';
import type { StoredComponent, StoredModal } from './modals.js';
import { notOneOf, REPEATED, REQUIRED, type Reading, tooLong, tooShort, type ValueFault } from './reading.js';
import type { FilledInput, FilledPart, ModalData } from './request.js';
import { type Bounds, checkCount, readChosen } from './selects.js';

type Input = StoredComponent & { custom_id: string };

interface Sent {
  input: SubmittedInput;
  path: string;
}

/** @returns all parts in the modal's order; inputs that were not sent are empty */
export function readModal(reading: Reading, modal: StoredModal, submitted: readonly SubmittedPart[]): ModalData {
  const known = modal.components.flatMap(inputsOf);
  const sent = collectSent(reading, known, submitted);
  const components = modal.components.map((part) => fillPart(reading, part, sent));
  return { custom_id: modal.custom_id, components };
}

function inputsOf({ components = [], component }: StoredComponent): Input[] {
  return [...components, ...(component ? [component] : [])].filter(isInput);
}

function isInput(component: StoredComponent): component is Input {
  return component.custom_id !== undefined;
}

/** Clients may send an input in a different part than the modal defines. */
function collectSent(
  reading: Reading,
  known: readonly Input[],
  submitted: readonly SubmittedPart[],
): ReadonlyMap<string, Sent> {
  const sent = new Map<string, Sent>();
  for (const { input, path } of submitted.flatMap(sentInPart)) {
    if (input.custom_id === undefined) continue;
    const match = known.find(({ custom_id: id }) => id === input.custom_id);
    if (!match) reading.faults.push({ path: `${path}.custom_id`, ...notOneOf(known.map((one) => one.custom_id)) });
    else if (sent.has(match.custom_id)) reading.faults.push({ path: `${path}.custom_id`, ...REPEATED });
    else if (input.type !== undefined && input.type !== match.type) {
      reading.faults.push({ path: `${path}.type`, ...notOneOf([match.type]) });
    }
    sent.set(input.custom_id, { input, path });
  }
  return sent;
}

function sentInPart({ components = [], component }: SubmittedPart, index: number): Sent[] {
  const path = `components.${index}`;
  const inRow = components.map((input, place) => ({ input, path: `${path}.components.${place}` }));
  return component ? [...inRow, { input: component, path: `${path}.component` }] : inRow;
}

function fillPart(reading: Reading, part: StoredComponent, sent: ReadonlyMap<string, Sent>): FilledPart {
  const fill = (input: StoredComponent) => (isInput(input) ? [fillInput(reading, input, sent)] : []);
  const [component] = part.component ? fill(part.component) : [];
  return {
    ...named(part),
    ...(part.components ? { components: part.components.flatMap(fill) } : {}),
    ...(component ? { component } : {}),
  };
}

function named({ type, id }: StoredComponent) {
  return { type, ...(id === undefined ? {} : { id }) };
}

function fillInput(reading: Reading, input: Input, sent: ReadonlyMap<string, Sent>): FilledInput {
  const { custom_id } = input;
  const found = sent.get(custom_id);
  if (!found && isRequired(input)) {
    reading.faults.push({ path: 'components', ...REQUIRED, message: `The input "${custom_id}" is required.` });
  }
  const value = found ? readInput(reading, input, found) : emptyOf(input);
  return { ...named(input), custom_id, ...value };
}

type Filled = Pick<FilledInput, 'value' | 'values'>;

function emptyOf({ type }: Input): Filled {
  switch (type) {
    case Type.TextInput:
      return { value: '' };
    case Type.Checkbox:
      return { value: false };
    case Type.RadioGroup:
      return { value: null };
    default:
      return { values: [] };
  }
}

function isRequired({ type, required, min_values: min }: Input): boolean {
  return type !== Type.Checkbox && required !== false && min !== 0;
}

function readInput(reading: Reading, input: Input, { input: sent, path }: Sent): Filled {
  const refuse = (fault: ValueFault) => reading.faults.push({ path: `${path}.value`, ...fault });
  switch (input.type) {
    case Type.TextInput:
      return { value: readText(input, sent.value ?? '', refuse) };
    case Type.Checkbox:
      return { value: readCheckbox(sent.value ?? false, refuse) };
    case Type.RadioGroup:
      return { value: readRadio(input, sent.value ?? null, refuse) };
    case Type.FileUpload:
      return { values: readFiles(reading, input, sent.values ?? [], `${path}.values`) };
    default:
      return { values: readChosen(reading, input, sent.values ?? [], boundsOf(input), `${path}.values`) };
  }
}

type Refuse = (fault: ValueFault) => void;

type Value = string | number | bigint | boolean;

function readText({ required, min_length: min, max_length: max }: Input, value: Value, refuse: Refuse): string {
  const text = String(value);
  if (typeof value !== 'string') {
    refuse({ code: 'STRING_TYPE_CONVERT', message: 'Could not interpret the value as string.' });
    return text;
  }
  const length = characters(text);
  if (length === 0) {
    if (required !== false) refuse(REQUIRED);
  } else if (min !== undefined && length < min) refuse(tooShort(min));
  else if (max !== undefined && length > max) refuse(tooLong(max));
  return text;
}

function readCheckbox(value: Value, refuse: Refuse): boolean {
  if (typeof value !== 'boolean') refuse({ code: 'BOOLEAN_TYPE_CONVERT', message: 'Must be either true or false.' });
  return value === true;
}

function readRadio({ options = [], required }: Input, value: Value | null, refuse: Refuse): string | null {
  if (value === null) {
    if (required !== false) refuse(REQUIRED);
    return null;
  }
  const known = options.map((option) => option.value);
  if (!known.includes(String(value))) refuse(notOneOf(known));
  return String(value);
}

function readFiles(reading: Reading, input: Input, values: readonly string[], path: string): string[] {
  checkCount(reading, values, boundsOf(input), path);
  return values.flatMap((value, index) => {
    const place = `${path}.${index}`;
    const id = fileOfNumber(reading, value);
    if (id === undefined) reading.faults.push({ path: place, ...NO_FILE });
    else reading.taken.push({ id, path: place, types: input.file_types });
    return id === undefined ? [] : [String(id)];
  });
}

/** Defaults: one value for a select, all values for a checkbox group. */
function boundsOf({ type, required, options = [], min_values: min = 1, max_values: max }: Input): Bounds {
  const most = type === Type.CheckboxGroup ? options.length : 1;
  return { min, max: max ?? most, mayBeEmpty: required === false };
}
