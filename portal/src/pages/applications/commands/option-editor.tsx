import { useState } from 'react';
import { Select, Switch, TextField } from '../../../ui/field.js';
import { useRowFocus } from '../../../ui/row-focus.js';
import { useRowKeys } from '../row-keys.js';
import { ChoiceRows } from './choice-rows.js';
import type { Option } from './command-body.js';
import { Checks, type Faults, TranslationRows } from './command-fields.js';
import {
  added,
  GROUP,
  has,
  isFolder,
  MOST,
  moved,
  removed,
  replaced,
  retyped,
  typeName,
  typesWithin,
  withField,
} from './option-tree.js';

interface OptionListProps {
  options: readonly Option[];
  /** Null for the command itself. */
  parent: Option | null;
  path: string;
  faults: Faults;
  onChange: (options: Option[]) => void;
}

export function OptionList({ options, parent, path, faults, onChange }: OptionListProps) {
  const kind = parent?.type === GROUP ? 'subcommand' : 'option';
  const { keys, move, remove } = useRowKeys(options.length);
  const rows = useRowFocus();
  const label = parent ? `Add ${kind} to ${parent.name}` : 'Add option';
  return (
    <fieldset className="option-list">
      <legend>
        {parent ? `Options of ${parent.name}` : 'Options'}{' '}
        <span className="soft small">
          {options.length}/{MOST}
        </span>
      </legend>
      {faults[path] && <p className="fault">{faults[path]}</p>}
      <ol ref={rows}>
        {options.map((option, index) => (
          <OptionItem
            key={keys[index]}
            option={option}
            parent={parent}
            path={`${path}.${index}`}
            faults={faults}
            isFirst={index === 0}
            isLast={index === options.length - 1}
            onChange={(next) => onChange(replaced(options, index, next))}
            onMove={(by) => {
              move(index, by);
              onChange(moved(options, index, by));
            }}
            onRemove={() => {
              remove(index);
              onChange(removed(options, index));
            }}
          />
        ))}
      </ol>
      <button
        type="button"
        className="plain small"
        aria-label={label}
        disabled={options.length >= MOST}
        onClick={() => onChange(added(options, parent?.type ?? null))}
      >
        Add {kind}
      </button>
    </fieldset>
  );
}

interface OptionItemProps {
  option: Option;
  parent: Option | null;
  path: string;
  faults: Faults;
  isFirst: boolean;
  isLast: boolean;
  onChange: (option: Option) => void;
  onMove: (by: number) => void;
  onRemove: () => void;
}

function OptionItem(props: OptionItemProps) {
  const { option, path, faults } = props;
  const [isOpen, setOpen] = useState(option.description === '');
  const isFaulty = Object.keys(faults).some((at) => at === path || at.startsWith(`${path}.`));
  return (
    <li>
      <details open={isOpen || isFaulty} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <bdi>{option.name === '' ? 'Unnamed option' : option.name}</bdi>{' '}
          <span className="soft small">{typeName(option.type)}</span>
          {option.required && <span className="badge">required</span>}
          {isFaulty && <span className="badge bad">invalid</span>}
        </summary>
        {faults[path] && <p className="fault">{faults[path]}</p>}
        <Moves {...props} />
        <OptionFields {...props} />
      </details>
    </li>
  );
}

function Moves({ option: { name }, isFirst, isLast, onMove, onRemove }: OptionItemProps) {
  return (
    <div className="buttons">
      <button
        type="button"
        className="plain small"
        aria-label={`Move ${name} up`}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        Up
      </button>
      <button
        type="button"
        className="plain small"
        aria-label={`Move ${name} down`}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        Down
      </button>
      <button type="button" className="plain small" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </button>
    </div>
  );
}

function OptionFields(props: OptionItemProps) {
  const { option, parent, path, faults, onChange } = props;
  return (
    <>
      <Select
        label="Option type"
        value={option.type}
        fault={faults[`${path}.type`]}
        onChange={({ target }) => onChange(retyped(option, Number(target.value)))}
      >
        {typesWithin(parent?.type ?? null).map(({ type, text }) => (
          <option key={type} value={type}>
            {text}
          </option>
        ))}
      </Select>
      <TextField
        label="Option name"
        hint="1–32 lowercase letters, digits, hyphens and underscores."
        maxLength={32}
        value={option.name}
        fault={faults[`${path}.name`]}
        onChange={({ target }) => onChange({ ...option, name: target.value })}
      />
      <TextField
        label="Option description"
        maxLength={100}
        value={option.description}
        fault={faults[`${path}.description`]}
        onChange={({ target }) => onChange({ ...option, description: target.value })}
      />
      <Flags {...props} />
      <Limits {...props} />
      <ChannelTypes {...props} />
      {has(option.type, 'choices') && <ChoiceRows option={option} path={path} faults={faults} onChange={onChange} />}
      <OptionTranslations {...props} />
      {isFolder(option) && (
        <OptionList
          options={option.options ?? []}
          parent={option}
          path={`${path}.options`}
          faults={faults}
          onChange={(options) => onChange(withField(option, 'options', options))}
        />
      )}
    </>
  );
}

function Flags({ option, path, faults, onChange }: OptionItemProps) {
  return (
    <>
      {has(option.type, 'required') && (
        <Switch
          label="Required"
          hint="Required options must come before optional ones."
          checked={option.required ?? false}
          fault={faults[`${path}.required`]}
          onChange={({ target }) => onChange(withField(option, 'required', target.checked))}
        />
      )}
      {has(option.type, 'autocomplete') && (
        <Switch
          label="Autocomplete"
          hint="Suggest values while the user types. Can't be combined with fixed choices."
          checked={option.autocomplete ?? false}
          fault={faults[`${path}.autocomplete`]}
          onChange={({ target }) => onChange(withField(option, 'autocomplete', target.checked))}
        />
      )}
    </>
  );
}

const LIMITS = [
  { field: 'min_length', label: 'Minimum length' },
  { field: 'max_length', label: 'Maximum length' },
  { field: 'min_value', label: 'Minimum value' },
  { field: 'max_value', label: 'Maximum value' },
] as const;

function Limits({ option, path, faults, onChange }: OptionItemProps) {
  const shown = LIMITS.filter(({ field }) => has(option.type, field));
  if (shown.length === 0) return null;
  return (
    <div className="option-pair">
      {shown.map(({ field, label }) => (
        <TextField
          key={field}
          label={label}
          type="number"
          step="any"
          value={option[field] ?? ''}
          fault={faults[`${path}.${field}`]}
          onChange={({ target: { value } }) =>
            onChange(withField(option, field, value === '' ? undefined : Number(value)))
          }
        />
      ))}
    </div>
  );
}

const CHANNEL_TYPES = [
  { value: 0, text: 'Text' },
  { value: 2, text: 'Voice' },
  { value: 4, text: 'Category' },
  { value: 5, text: 'Announcement' },
];

function ChannelTypes({ option, path, faults, onChange }: OptionItemProps) {
  if (!has(option.type, 'channel_types')) return null;
  return (
    <Checks
      legend="Channel types"
      hint="If you choose no type, all channels are allowed."
      all={CHANNEL_TYPES}
      value={option.channel_types ?? []}
      fault={faults[`${path}.channel_types`]}
      onChange={(types) => onChange(withField(option, 'channel_types', types))}
    />
  );
}

function OptionTranslations({ option, path, faults, onChange }: OptionItemProps) {
  return (
    <details>
      <summary>Translations</summary>
      <TranslationRows
        legend="Option name"
        path={`${path}.name_localizations`}
        value={option.name_localizations}
        faults={faults}
        onChange={(value) => onChange(withField(option, 'name_localizations', value))}
      />
      <TranslationRows
        legend="Option description"
        path={`${path}.description_localizations`}
        value={option.description_localizations}
        faults={faults}
        onChange={(value) => onChange(withField(option, 'description_localizations', value))}
      />
    </details>
  );
}
