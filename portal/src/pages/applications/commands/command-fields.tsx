import { useId } from 'react';
import { once } from '../../../ui/once.js';
import { useRowFocus } from '../../../ui/row-focus.js';
import { useRowKeys } from '../row-keys.js';
import type { Translations } from './command-body.js';
import { removed } from './option-tree.js';

/** Error messages by path in the command. */
export type Faults = Record<string, string>;

interface ChecksProps {
  legend: string;
  hint?: string;
  all: readonly { value: number; text: string }[];
  /** Null: all. */
  value: readonly number[] | null;
  onChange: (value: number[]) => void;
  fault?: string | undefined;
}

export function Checks({ legend, hint, all, value, onChange, fault }: ChecksProps) {
  const chosen = value ?? all.map((one) => one.value);
  const toggle = (one: number) =>
    onChange(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one].sort((a, b) => a - b));
  return (
    <fieldset className="field">
      <legend>{legend}</legend>
      <div className="checks">
        {all.map((one) => (
          <label key={one.value}>
            <input
              type="checkbox"
              checked={chosen.includes(one.value)}
              aria-invalid={fault ? true : undefined}
              onChange={() => toggle(one.value)}
            />
            {one.text}
          </label>
        ))}
      </div>
      {fault && <p className="fault">{fault}</p>}
      {hint && <p className="soft small">{hint}</p>}
    </fieldset>
  );
}

/** Discord's documentation, Locales. */
const LOCALES = (
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja ' +
  'zh-TW ko'
).split(' ');

const languages = once(() => new Intl.DisplayNames(undefined, { type: 'language' }));

interface TranslationRowsProps {
  legend: string;
  path: string;
  value: Translations | null | undefined;
  onChange: (value: Translations | null) => void;
  faults: Faults;
}

export function TranslationRows({ legend, path, value, onChange, faults }: TranslationRowsProps) {
  const entries = Object.entries(value ?? {});
  const { keys, remove } = useRowKeys(entries.length);
  const rows = useRowFocus();
  const free = LOCALES.filter((locale) => !entries.some(([taken]) => taken === locale));
  const change = (next: [string, string][]) => onChange(next.length === 0 ? null : Object.fromEntries(next));
  const set = (index: number, entry: [string, string]) =>
    change(entries.map((one, at) => (at === index ? entry : one)));
  return (
    <fieldset className="field rows" ref={rows}>
      <legend>{legend}</legend>
      {entries.map(([locale, text], index) => (
        <TranslationRow
          key={keys[index]}
          locale={locale}
          text={text}
          others={free}
          legend={legend}
          fault={faults[`${path}.${locale}`]}
          onChange={(entry) => set(index, entry)}
          onRemove={() => {
            remove(index);
            change(removed(entries, index));
          }}
        />
      ))}
      {free[0] !== undefined && (
        <button
          type="button"
          className="plain small"
          aria-label={`Add translation: ${legend}`}
          onClick={() => change([...entries, [free[0] ?? '', '']])}
        >
          Add translation
        </button>
      )}
    </fieldset>
  );
}

interface TranslationRowProps {
  locale: string;
  text: string;
  others: readonly string[];
  legend: string;
  fault: string | undefined;
  onChange: (entry: [string, string]) => void;
  onRemove: () => void;
}

function TranslationRow({ locale, text, others, legend, fault, onChange, onRemove }: TranslationRowProps) {
  const faultId = useId();
  const language = languageOf(locale);
  return (
    <div className="choice-row">
      <select
        aria-label={`${legend}: language`}
        value={locale}
        onChange={({ target }) => onChange([target.value, text])}
      >
        {[locale, ...others].map((one) => (
          <option key={one} value={one}>
            {languageOf(one)}
          </option>
        ))}
      </select>
      <input
        type="text"
        aria-label={`${legend} in ${language}`}
        value={text}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? faultId : undefined}
        onChange={({ target }) => onChange([locale, target.value])}
      />
      <button type="button" className="plain small" aria-label={`Remove ${legend} in ${language}`} onClick={onRemove}>
        Remove
      </button>
      {fault && (
        <p className="fault" id={faultId}>
          {fault}
        </p>
      )}
    </div>
  );
}

function languageOf(locale: string): string {
  try {
    return languages().of(locale) ?? locale;
  } catch {
    return locale;
  }
}
