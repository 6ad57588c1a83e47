import { useState } from 'react';
import type { SelectPart } from './components.js';
import { PersonField } from './person-field.js';
import { useServer } from './server.js';

interface SelectChoiceProps {
  part: SelectPart;
  isOff: boolean;
  /** With one value it is told at once, with several once somebody says so. */
  onChoose: (values: string[]) => void;
}

/** A select of a message. */
export function SelectChoice({ part, isOff, onChoose }: SelectChoiceProps) {
  const [values, setValues] = useState<string[]>(part.choices.filter((one) => one.isDefault).map((one) => one.value));
  const isMany = part.max > 1;
  const isComplete = values.length >= part.min && values.length <= part.max;
  return (
    <div className="select-choice">
      <SelectValues
        part={part}
        values={values}
        isOff={isOff}
        onValues={(chosen) => {
          setValues(chosen);
          if (!isMany && chosen.length > 0) onChoose(chosen);
        }}
      />
      {isMany && (
        <button type="button" className="small" disabled={isOff || !isComplete} onClick={() => onChoose(values)}>
          Choose {values.length}
        </button>
      )}
    </div>
  );
}

interface SelectValuesProps {
  part: SelectPart;
  label?: string;
  values: string[];
  isOff?: boolean;
  fault?: string | undefined;
  onValues: (values: string[]) => void;
}

/** What can be chosen in a select: people are searched for, the rest is listed. */
export function SelectValues({ part, label = part.placeholder, values, isOff, fault, onValues }: SelectValuesProps) {
  const offered = useOffered(part);
  if (part.offer === 'user' || part.offer === 'mentionable') {
    const pick = (id: string) => onValues([...values.filter((one) => one !== id), id].slice(-part.max));
    return (
      <PersonField
        label={label}
        fault={fault}
        withRoles={part.offer === 'mentionable'}
        onPick={(id) => id && pick(id)}
      />
    );
  }
  const isMany = part.max > 1;
  return (
    <div className="field">
      <select
        aria-label={label}
        aria-invalid={fault ? true : undefined}
        multiple={isMany}
        disabled={isOff}
        value={isMany ? values : (values[0] ?? '')}
        onChange={({ target }) => onValues([...target.selectedOptions].map(({ value }) => value).filter(Boolean))}
      >
        {!isMany && <option value="">{part.placeholder}</option>}
        {offered.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {fault && <p className="fault">{fault}</p>}
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
