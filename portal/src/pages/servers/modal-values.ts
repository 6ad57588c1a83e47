import type { Part } from './components.js';

/** A part of a modal that is filled in. */
export type ModalInput = Extract<Part, { customId: string }> & {
  kind: 'input' | 'select' | 'choices' | 'check' | 'files';
};

/** What it was filled in with: text, chosen values, on or off, or files. */
export type Filled = string | string[] | boolean | File[];

export function initialOf(input: ModalInput): Filled {
  switch (input.kind) {
    case 'input':
      return input.value;
    case 'check':
      return input.isOn;
    case 'select':
    case 'choices':
      return input.choices.filter((one) => one.isDefault).map((one) => one.value);
    case 'files':
      return [];
  }
}

const LABEL = 18;
const RADIO = 21;

/** The wire's part with what was filled in. @param files those of the modal, to which its own are added */
export function filledPart(input: ModalInput, filled: Filled | undefined, files: File[]): object {
  return { type: LABEL, component: { custom_id: input.customId, ...wireOf(input, filled, files) } };
}

function wireOf(input: ModalInput, filled: Filled | undefined, files: File[]): object {
  if (input.kind === 'files') return { type: 19, values: filesIn(filled).map((file) => files.push(file) - 1) };
  if (input.kind === 'check') return { type: 23, value: filled === true };
  const values = valuesIn(filled);
  if (input.kind === 'input') return { type: 4, value: typeof filled === 'string' ? filled : '' };
  if (input.kind === 'choices' && input.type === RADIO) return { type: RADIO, value: values[0] ?? null };
  return { type: input.type, values };
}

export function valuesIn(filled: Filled | undefined): string[] {
  return Array.isArray(filled) ? filled.filter((one) => typeof one === 'string') : [];
}

export function filesIn(filled: Filled | undefined): File[] {
  return Array.isArray(filled) ? filled.filter((one) => one instanceof File) : [];
}
