import type { DomainError } from '../../domain/errors.js';
import { type Html, html } from '../../http/pages/html.js';
import { notice } from './notice.js';

export interface Field {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  /** HTML's autofill token. */
  autocomplete: string;
  rule?: string;
  limits?: Html;
}

export interface Attempt {
  /** By field name. */
  typed?: Readonly<Record<string, string | undefined>>;
  refusal?: DomainError | undefined;
}

/** Keeps typed values except passwords. The first field with an error, or else the first empty one, gets the focus. */
export function fields(form: readonly Field[], { typed = {}, refusal }: Attempt): Html {
  const faults = new Map(refusal?.fields.map(({ path, message }) => [path, message]));
  const isKept = ({ name, type }: Field) => type !== 'password' && (typed[name] ?? '') !== '';
  const next = form.find(({ name }) => faults.has(name)) ?? form.find((field) => !isKept(field)) ?? form[0];
  const isTold = refusal !== undefined && !form.some(({ name }) => faults.has(name));
  return html`${isTold && notice(refusal.message)}
${form.map((field) => fieldHtml(field, isKept(field) ? typed[field.name] : '', faults.get(field.name), field === next))}`;
}

function fieldHtml(
  { name, label, type, autocomplete, rule, limits }: Field,
  value: string | undefined,
  fault: string | undefined,
  isNext: boolean,
): Html {
  const describedBy = [rule && `${name}-rule`, fault && `${name}-fault`].filter(Boolean).join(' ');
  return html`<div class="field">
<label class="label" for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${limits}${
    describedBy !== '' && html` aria-describedby="${describedBy}"`
  }${fault !== undefined && html` aria-invalid="true"`}${type !== 'password' && html` value="${value}"`}${isNext && html` autofocus`}>
${fault !== undefined && html`<p class="fault" id="${name}-fault" role="alert">${fault}</p>`}
${rule !== undefined && html`<p class="soft small" id="${name}-rule">${rule}</p>`}
</div>
`;
}
