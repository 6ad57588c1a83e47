import type { DomainError } from '../../domain/errors.js';
import { type Html, html } from '../../http/pages/html.js';
import { notice } from './notice.js';

/** One field of a form: what it is called, and what may be typed. */
export interface Field {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  /** What a browser may fill in (HTML, Autofill). */
  autocomplete: string;
  /** Shown under it. */
  rule?: string;
  /** Further attributes. */
  limits?: Html;
}

/** What a form shows of an attempt. */
export interface Attempt {
  /** By the fields' names. */
  typed?: Readonly<Record<string, string | undefined>>;
  /** Why it did not do. */
  refusal?: DomainError | undefined;
}

/**
 * The fields of a form, after what was wrong with it. What was typed is kept but for passwords, a fault stands at its field, and the first
 * field with one, or else the first that is empty, is where the visitor goes on.
 */
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
