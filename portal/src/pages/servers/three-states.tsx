import type { Say } from './say.js';

const STATES: [said: Say, text: string][] = [
  [true, 'Allow'],
  [false, 'Deny'],
  [null, 'Not set'],
];

interface ThreeStatesProps {
  /** Of whom, or of what. */
  label: string;
  said: Say;
  isOff?: boolean;
  onSay: (said: Say) => void;
}

/** Allowed, denied or neither. Buttons, not radios: arrow keys walk through those, and would save each that they come by. */
export function ThreeStates({ label, said, isOff = false, onSay }: ThreeStatesProps) {
  return (
    <fieldset className="states">
      <legend className="for-readers">{label}</legend>
      {STATES.map(([state, text]) => (
        <button
          key={text}
          type="button"
          data-state={text}
          aria-pressed={said === state}
          disabled={isOff}
          onClick={() => said !== state && onSay(state)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
