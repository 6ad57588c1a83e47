import { excessOf } from '../../../ui/field.js';
import { useRowFocus } from '../../../ui/row-focus.js';
import { useRowKeys } from '../row-keys.js';
import type { Choice, Option } from './command-body.js';
import type { Faults } from './command-fields.js';
import { MOST, removed, TEXT, withField } from './option-tree.js';

interface ChoiceRowsProps {
  option: Option;
  path: string;
  faults: Faults;
  onChange: (option: Option) => void;
}

export function ChoiceRows({ option, path, faults, onChange }: ChoiceRowsProps) {
  const choices = option.choices ?? [];
  const change = (next: Choice[]) => onChange(withField(option, 'choices', next));
  const isText = option.type === TEXT;
  const { keys, remove } = useRowKeys(choices.length);
  return (
    <fieldset className="field rows" ref={useRowFocus()}>
      <legend>
        Choices{' '}
        <span className="soft small">
          {choices.length}/{MOST}
        </span>
      </legend>
      {faults[`${path}.choices`] && <p className="fault">{faults[`${path}.choices`]}</p>}
      {choices.map((choice, index) => (
        <ChoiceRow
          key={keys[index]}
          choice={choice}
          number={index + 1}
          isText={isText}
          faults={[faults[`${path}.choices.${index}.name`], faults[`${path}.choices.${index}.value`]]}
          onChange={(next) => change(choices.map((one, at) => (at === index ? next : one)))}
          onRemove={() => {
            remove(index);
            change(removed(choices, index));
          }}
        />
      ))}
      <button
        type="button"
        className="plain small"
        aria-label={`Add choice to ${option.name}`}
        disabled={choices.length >= MOST}
        onClick={() => change([...choices, { name: '', value: isText ? '' : choices.length }])}
      >
        Add choice
      </button>
    </fieldset>
  );
}

interface ChoiceRowProps {
  choice: Choice;
  number: number;
  isText: boolean;
  /** Of the name and the value. */
  faults: [string | undefined, string | undefined];
  onChange: (choice: Choice) => void;
  onRemove: () => void;
}

function ChoiceRow({ choice, number, isText, faults, onChange, onRemove }: ChoiceRowProps) {
  const [nameFault, valueFault] = faults;
  const tooLong = excessOf(choice.name, 100);
  const fault = tooLong ?? nameFault ?? valueFault;
  const setValue = (value: string) => onChange({ ...choice, value: isText || value === '' ? value : Number(value) });
  return (
    <div className="choice-row">
      <input
        type="text"
        aria-label={`Name of choice ${number}`}
        placeholder="Name"
        value={choice.name}
        aria-invalid={nameFault || tooLong ? true : undefined}
        data-too-long={tooLong && true}
        onChange={({ target }) => onChange({ ...choice, name: target.value })}
      />
      <input
        type={isText ? 'text' : 'number'}
        step="any"
        aria-label={`Value of choice ${number}`}
        placeholder="Value"
        value={choice.value}
        aria-invalid={valueFault ? true : undefined}
        onChange={({ target }) => setValue(target.value)}
      />
      <button type="button" className="plain small" aria-label={`Remove choice ${number}`} onClick={onRemove}>
        Remove
      </button>
      {fault && <p className="fault">{fault}</p>}
    </div>
  );
}
