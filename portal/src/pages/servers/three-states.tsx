import type { Say } from './say.js';

const STATES: [said: Say, text: string][] = [
  [true, 'Allow'],
  [false, 'Deny'],
  [null, 'Not set'],
];

interface ThreeStatesProps {
  label: string;
  said: Say;
  isOff?: boolean;
  onSay: (said: Say) => void;
}

/** Uses buttons, because arrow keys would select, and so save, each radio on the way. */
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
