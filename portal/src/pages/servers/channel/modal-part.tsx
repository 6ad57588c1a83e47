import { useId } from 'react';
import { Switch, TextArea, TextField } from '../../../ui/field.js';
import type { Choice, Part, TextInputPart } from './components.js';
import { type Filled, filesIn, valuesIn } from './modal-values.js';
import { SelectValues } from './select-choice.js';

interface ModalPartProps {
  part: Part;
  /** From the enclosing label component. */
  label?: string;
  hint?: string | undefined;
  filled: Record<string, Filled>;
  faultOf: (customId: string) => string | undefined;
  onFill: (customId: string, value: Filled) => void;
}

export function ModalPart({ part, label = '', hint, ...props }: ModalPartProps) {
  switch (part.kind) {
    case 'text':
      return <p className="text">{part.text}</p>;
    case 'group':
      return part.parts.map((one, index) => <ModalPart key={index} part={one} {...props} />);
    case 'label':
      return <ModalPart part={part.part} label={part.label} hint={part.description} {...props} />;
    default:
      return 'customId' in part ? <ModalField part={part} label={label} hint={hint} {...props} /> : null;
  }
}

type Keyed = Extract<Part, { customId: string }>;

function ModalField({ part, label = '', hint, filled, faultOf, onFill }: ModalPartProps & { part: Keyed }) {
  const fault = faultOf(part.customId);
  const value = filled[part.customId];
  const fill = (next: Filled) => onFill(part.customId, next);
  switch (part.kind) {
    case 'input':
      return <ModalText part={part} label={part.label || label} value={value} {...{ hint, fault, fill }} />;
    case 'select':
      return <SelectValues part={part} {...{ label, hint, fault }} values={valuesIn(value)} onValues={fill} />;
    case 'choices':
      return (
        <ModalChoices
          {...{ label, hint, fault, fill }}
          choices={part.choices}
          max={part.max}
          values={valuesIn(value)}
        />
      );
    case 'check':
      return (
        <Switch
          label={label}
          hint={hint}
          fault={fault}
          checked={value === true}
          onChange={({ target }) => fill(target.checked)}
        />
      );
    case 'files':
      return (
        <TextField
          type="file"
          multiple={part.max > 1}
          {...{ label, fault }}
          hint={[hint, ...filesIn(value).map(({ name }) => name)].filter(Boolean).join(' · ')}
          onChange={({ target }) => fill([...(target.files ?? [])])}
        />
      );
    default:
      return null;
  }
}

interface ModalTextProps {
  part: TextInputPart;
  label: string;
  hint: string | undefined;
  fault: string | undefined;
  value: Filled | undefined;
  fill: (value: string) => void;
}

function ModalText({ part, label, hint, fault, value, fill }: ModalTextProps) {
  const props = {
    label: part.isRequired ? label : `${label} (optional)`,
    hint,
    fault,
    maxLength: part.maxLength,
    placeholder: part.placeholder,
    value: typeof value === 'string' ? value : '',
  };
  if (part.isLong) return <TextArea {...props} onChange={({ target }) => fill(target.value)} />;
  return <TextField {...props} onChange={({ target }) => fill(target.value)} />;
}

interface ModalChoicesProps {
  label: string;
  hint: string | undefined;
  choices: Choice[];
  max: number;
  values: string[];
  fault: string | undefined;
  fill: (values: string[]) => void;
}

function ModalChoices({ label, hint, choices, max, values, fault, fill }: ModalChoicesProps) {
  const isOne = max === 1;
  const id = useId();
  const toggle = (value: string) =>
    fill(isOne ? [value] : values.includes(value) ? values.filter((one) => one !== value) : [...values, value]);
  return (
    <fieldset className="check" aria-describedby={`${id}-notes`}>
      <legend>{label}</legend>
      {choices.map((one) => (
        <label key={one.value}>
          <input
            type={isOne ? 'radio' : 'checkbox'}
            name={id}
            aria-invalid={fault ? true : undefined}
            checked={values.includes(one.value)}
            onChange={() => toggle(one.value)}
          />
          <span>
            {one.label}
            {one.description && <span className="soft small"> {one.description}</span>}
          </span>
        </label>
      ))}
      <div id={`${id}-notes`}>
        {fault && <p className="fault">{fault}</p>}
        {hint && <p className="soft small">{hint}</p>}
      </div>
    </fieldset>
  );
}
