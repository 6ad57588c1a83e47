import type { Part } from './components.js';

export type ModalInput = Extract<Part, { customId: string }> & {
  kind: 'input' | 'select' | 'choices' | 'check' | 'files';
};

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

/** @param files files of the whole modal; those of this input are appended */
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
