import { type ChangeEvent, useState } from 'react';
import { Select } from '../../../ui/field.js';
import { PersonField } from '../person-field.js';
import { useServer } from '../server.js';
import type { SelectPart } from './components.js';
import { useKeptFocus } from './kept-focus.js';

interface SelectChoiceProps {
  part: SelectPart;
  /** Called by the button only, because arrow keys change a select at every press. */
  onChoose: (values: string[]) => void;
}

export function SelectChoice({ part, onChoose }: SelectChoiceProps) {
  const [values, setValues] = useState<string[]>(part.choices.filter((one) => one.isDefault).map((one) => one.value));
  const isComplete = values.length >= part.min && values.length <= part.max;
  const text = part.max > 1 ? `Confirm (${values.length})` : 'Confirm';
  return (
    <div className="select-choice">
      <SelectValues part={part} values={values} isOff={part.isOff} onValues={setValues} />
      <button
        type="button"
        className="small"
        aria-label={`${text}: ${part.placeholder}`}
        disabled={part.isOff || !isComplete}
        onClick={() => onChoose(values)}
      >
        {text}
      </button>
    </div>
  );
}

interface SelectValuesProps {
  part: SelectPart;
  /** Defaults to the placeholder. */
  label?: string;
  hint?: string | undefined;
  values: string[];
  isOff?: boolean;
  fault?: string | undefined;
  onValues: (values: string[]) => void;
}

export function SelectValues(props: SelectValuesProps) {
  const { part, label, hint, values, isOff, fault, onValues } = props;
  const offered = useOffered(part);
  if (part.offer === 'user' || part.offer === 'mentionable') return <SelectPeople {...props} />;
  const isMany = part.max > 1;
  const select = {
    multiple: isMany,
    disabled: isOff,
    value: isMany ? values : (values[0] ?? ''),
    onChange: ({ target }: ChangeEvent<HTMLSelectElement>) =>
      onValues([...target.selectedOptions].map(({ value }) => value).filter(Boolean)),
    children: (
      <>
        {!isMany && <option value="">{part.placeholder}</option>}
        {offered.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </>
    ),
  };
  if (label !== undefined) return <Select {...select} {...{ label, hint, fault }} />;
  return (
    <div className="field">
      <select aria-label={part.placeholder} {...select} />
    </div>
  );
}

function SelectPeople({ part, label = part.placeholder, hint, values, isOff, fault, onValues }: SelectValuesProps) {
  const [names, setNames] = useState<Record<string, string>>({});
  const focus = useKeptFocus<HTMLDivElement>((whole) => whole.querySelector('input'));
  const isMany = part.max > 1;
  const field = { label, fault, isOff, isMany, withRoles: part.offer === 'mentionable' };
  if (!isMany) return <PersonField {...field} hint={hint} onPick={(id) => onValues(id === undefined ? [] : [id])} />;
  const pick = (id: string | undefined, name: string) => {
    if (id === undefined) return;
    setNames((before) => ({ ...before, [id]: name }));
    onValues([...values.filter((one) => one !== id), id].slice(-part.max));
  };
  return (
    <div {...focus} tabIndex={-1}>
      <PersonField
        {...field}
        hint={hint ?? `Select up to ${part.max}. Selecting another replaces the first.`}
        onPick={pick}
      />
      {values.length > 0 && (
        <ul className="chosen-people" aria-label={`Selected: ${label}`}>
          {values.map((id) => (
            <li key={id}>
              <bdi>{names[id] ?? id}</bdi>
              <button
                type="button"
                className="link small"
                aria-label={`Remove ${names[id] ?? id}`}
                disabled={isOff}
                onClick={() => onValues(values.filter((one) => one !== id))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function useOffered({ offer, choices, channelTypes }: SelectPart) {
  const { id: guildId, roles, channels } = useServer();
  if (offer === 'role')
    return roles.filter(({ id }) => id !== guildId).map(({ id, name }) => ({ value: id, text: name }));
  if (offer === 'channel') {
    const isOffered = (type: number) => channelTypes.length === 0 || channelTypes.includes(type);
    return channels.filter(({ type }) => isOffered(type)).map(({ id, name }) => ({ value: id, text: `#${name}` }));
  }
  return choices.map(({ value, label, description }) => ({
    value,
    text: description ? `${label} – ${description}` : label,
  }));
}
