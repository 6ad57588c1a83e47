import { TextField } from '../../ui/field.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { removed } from './commands/option-tree.js';
import { useRowKeys } from './row-keys.js';

const MOST = 10;

interface RedirectUrisProps {
  rows: readonly string[];
  onChange: (rows: string[]) => void;
  /** Error message of a row. */
  faultOf: (row: string) => string | undefined;
  /** Error message of the whole list. */
  fault: string | undefined;
}

/** An empty last row adds another. */
export function RedirectUris({ rows, onChange, faultOf, fault }: RedirectUrisProps) {
  const shown = rows.length < MOST ? [...rows, ''] : rows;
  const { keys, remove } = useRowKeys(shown.length);
  const set = (index: number, text: string) => onChange(withoutEmptyEnd(shown.with(index, text)));
  return (
    <fieldset className="rows" ref={useRowFocus()}>
      <legend>
        Redirect URIs
        <span className="soft small count-of">
          {rows.length}/{MOST}
        </span>
      </legend>
      {shown.map((row, index) => (
        <div className="with-button" key={keys[index]}>
          <TextField
            label={`Redirect URI ${index + 1}`}
            inputMode="url"
            placeholder={index === rows.length ? 'https://' : ''}
            value={row}
            fault={row.trim() === '' ? undefined : faultOf(row)}
            onChange={({ target }) => set(index, target.value)}
          />
          {index < rows.length && (
            <button
              type="button"
              className="plain"
              aria-label={`Remove redirect URI ${index + 1}`}
              onClick={() => {
                remove(index);
                onChange(removed(rows, index));
              }}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      {fault && <p className="fault">{fault}</p>}
      <p className="soft small">
        Use https, http on a loopback host (localhost, 127.0.0.1 or [::1]), or a custom scheme that contains a dot. URIs
        must match exactly.
      </p>
    </fieldset>
  );
}

function withoutEmptyEnd(rows: readonly string[]): string[] {
  return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
}
