import { useId, useState } from 'react';
import { PERMISSIONS } from '../gql/words.js';
import { TextField } from './field.js';

type Permission = (typeof PERMISSIONS)[number];

interface PermissionPickerProps {
  label: string;
  /** Permission bits, decimal, as typed; may be invalid. */
  value: string;
  onChange: (bits: string) => void;
  fault?: string | undefined;
}

/** Administrator is separate because it implies all others. */
export function PermissionPicker({ label, value, onChange, fault }: PermissionPickerProps) {
  const [search, setSearch] = useState('');
  const bits = bitsOf(value);
  const notBits = isBits(value) ? undefined : NOT_BITS;
  const set = ({ bit }: Permission, isOn: boolean) => onChange(String(isOn ? bits | BigInt(bit) : bits & ~BigInt(bit)));
  const found = OTHERS.filter(({ words }) => words.toLowerCase().includes(search.trim().toLowerCase()));
  const boxes = (permissions: readonly Permission[]) =>
    permissions.map((permission) => (
      <PermissionBox key={permission.bit} permission={permission} bits={bits} onSet={set} />
    ));
  return (
    <fieldset className="picker">
      <legend>{label}</legend>
      <Chosen bits={bits} onNone={() => onChange('0')} />
      <TextField
        label={`${label} as a number`}
        inputMode="numeric"
        value={value}
        fault={fault ?? notBits}
        onChange={({ target }) => onChange(target.value.trim())}
      />
      <details>
        <summary>Choose by name</summary>
        <div className="apart">{boxes([ADMINISTRATOR])}</div>
        <TextField
          label="Find a permission"
          type="search"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <div className="columns">{boxes(found)}</div>
        {found.length === 0 && <p className="soft">No matching permissions.</p>}
      </details>
    </fieldset>
  );
}

const [ADMINISTRATOR, ...OTHERS] = PERMISSIONS;

const NOT_BITS = 'Permissions are a decimal number of up to 32 digits.';

export function isBits(text: string): boolean {
  return /^\d{1,32}$/.test(text);
}

/** Invalid text counts as no permissions. */
function bitsOf(text: string): bigint {
  return isBits(text) ? BigInt(text) : 0n;
}

function has(bits: bigint, { bit }: Permission): boolean {
  return (bits & BigInt(bit)) !== 0n;
}

interface PermissionBoxProps {
  permission: Permission;
  bits: bigint;
  onSet: (permission: Permission, isOn: boolean) => void;
}

function PermissionBox({ permission, bits, onSet }: PermissionBoxProps) {
  const id = useId();
  const isAll = permission === ADMINISTRATOR;
  return (
    <div className="option">
      <input
        type="checkbox"
        id={id}
        checked={has(bits, permission)}
        {...(isAll ? { 'aria-describedby': `${id}-note` } : {})}
        onChange={({ target }) => onSet(permission, target.checked)}
      />
      <div>
        <label htmlFor={id}>{permission.words}</label>
        {isAll && (
          <p className="soft small" id={`${id}-note`}>
            Grants every permission in every channel. Request it only if your bot cannot work without it.
          </p>
        )}
      </div>
    </div>
  );
}

function Chosen({ bits, onNone }: { bits: bigint; onNone: () => void }) {
  const chosen = PERMISSIONS.filter((permission) => has(bits, permission));
  if (chosen.length === 0) return <p className="soft">No permissions selected.</p>;
  return (
    <div className="chosen">
      <ul className="chips" aria-label="Selected">
        {chosen.map((permission) => (
          <li key={permission.bit} className={permission === ADMINISTRATOR ? 'badge warn' : 'badge'}>
            {permission.words}
          </li>
        ))}
      </ul>
      <button type="button" className="plain small" onClick={onNone}>
        Select none
      </button>
      {chosen.includes(ADMINISTRATOR) && (
        <p className="notice warn">
          Administrator grants every permission in every channel. Anyone who takes over the bot takes over the server,
          so many people will not install it.
        </p>
      )}
    </div>
  );
}
