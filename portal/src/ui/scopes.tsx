import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { SCOPES } from '../gql/words.js';
import { TextField } from './field.js';

const MOST = 25;

interface ScopePickerProps {
  label: string;
  value: readonly string[];
  onChange: (scopes: string[]) => void;
  fault?: string | undefined;
  /** Hides the `bot` scope. */
  isForUser?: boolean;
  /** Label of the field for other scopes. Without it, only supported scopes are offered. */
  other?: string;
}

export function ScopePicker({ label, value, onChange, fault, isForUser = false, other }: ScopePickerProps) {
  const without = (scope: string) => value.filter((one) => one !== scope);
  return (
    <fieldset className="picker">
      <legend>
        {label}
        {other && (
          <span className="soft small count-of">
            {value.length}/{MOST}
          </span>
        )}
      </legend>
      {SCOPES.filter(({ name }) => !isForUser || name !== 'bot').map(({ name, title, detail }) => (
        <ScopeBox
          key={name}
          isOn={value.includes(name)}
          onSet={(isOn) => onChange(isOn ? [...value, name] : without(name))}
          name={name}
          title={title}
          detail={detail}
        />
      ))}
      <Others scopes={value.filter((scope) => !isKnown(scope))} onRemove={(scope) => onChange(without(scope))} />
      {other && <OtherScope label={other} value={value} fault={fault} onAdd={(scope) => onChange([...value, scope])} />}
    </fieldset>
  );
}

function isKnown(scope: string): boolean {
  return SCOPES.some(({ name }) => name === scope);
}

interface ScopeBoxProps {
  name: string;
  title: string;
  detail: string;
  isOn: boolean;
  onSet: (isOn: boolean) => void;
}

function ScopeBox({ name, title, detail, isOn, onSet }: ScopeBoxProps) {
  const id = useId();
  return (
    <div className="option">
      <input
        type="checkbox"
        id={id}
        checked={isOn}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onSet(target.checked)}
      />
      <div>
        <label htmlFor={id}>
          <code>{name}</code>
        </label>
        <p className="soft small" id={`${id}-note`}>
          {title}. {detail}
        </p>
      </div>
    </div>
  );
}

function Others({ scopes, onRemove }: { scopes: string[]; onRemove: (scope: string) => void }) {
  if (scopes.length === 0) return null;
  return (
    <>
      <p className="soft small">These scopes are saved but install links don't include them.</p>
      <ul className="chips" aria-label="Other scopes">
        {scopes.map((scope) => (
          <li key={scope} className="badge">
            <code>{scope}</code>
            <button type="button" className="link" aria-label={`Remove ${scope}`} onClick={() => onRemove(scope)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface OtherScopeProps {
  label: string;
  value: readonly string[];
  fault: string | undefined;
  onAdd: (scope: string) => void;
}

function OtherScope({ label, value, fault, onAdd }: OtherScopeProps) {
  const [text, setText] = useState('');
  const [note, setNote] = useState<ReactNode>('');
  const add = () => {
    const scope = text.trim();
    if (scope === '') return;
    setNote(value.includes(scope) ? `${scope} is already selected.` : '');
    if (!value.includes(scope)) onAdd(scope);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <div className="with-button">
      <TextField
        label={label}
        hint={note || 'a-z, 0-9, dot, underscore and hyphen.'}
        value={text}
        fault={fault}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" className="plain" disabled={text.trim() === ''} onClick={add}>
        Add
      </button>
    </div>
  );
}
