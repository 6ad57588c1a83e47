import { useState } from 'react';
import { OperatorSetLimitDocument } from '../../gql/instance/limits.js';
import type { InstanceLimitSubjectKind, LimitRowFragment } from '../../gql/types.js';
import { TextField } from '../../ui/field.js';
import { say } from '../../ui/toasts.js';
import { ActDialog } from './act-dialog.js';
import { limitValue } from './words.js';

export interface Subject {
  subject: string;
  name: string | null;
  /** Undefined if the value of the instance applies. */
  value?: number;
}

interface SetLimitProps {
  limit: LimitRowFragment;
  /** Null for the instance, and undefined if the user enters it. */
  subject: Subject | null | undefined;
  onClose: () => void;
}

const SUBJECTS: Record<InstanceLimitSubjectKind, string> = {
  PERSON: 'the username or ID of a person',
  BOT: 'the ID of a bot',
  ADDRESS: 'a network address',
};

const nameOf = ({ subject, name }: Subject) => name ?? subject;

export function SetLimit({ limit, subject, onClose }: SetLimitProps) {
  const { kind, name, unit, min, max, subjectKinds } = limit;
  const before = String(subject?.value ?? limit.value);
  const [entered, setEntered] = useState('');
  const [value, setValue] = useState(before);
  const isNew = subject === undefined;
  const whom = isNew ? entered.trim() : (subject?.subject ?? null);
  return (
    <ActDialog
      title={titleOf(name, subject)}
      doIt={isNew ? 'Add exception' : 'Change limit'}
      document={OperatorSetLimitDocument}
      variables={(reason) => ({ input: { kind, subject: whom, value: Number(value), reason } })}
      isChanged={value !== before || entered !== ''}
      isReady={/^\d+$/.test(value) && whom !== ''}
      onDone={() => {
        onClose();
        say(`The limit is ${limitValue(limit, Number(value))} now.`);
      }}
      onClose={onClose}
    >
      {(faults) => (
        <>
          {isNew && (
            <TextField
              label="For"
              hint={`Enter ${subjectKinds.map((one) => SUBJECTS[one]).join(', or ')}.`}
              maxLength={100}
              value={entered}
              fault={faults.subject}
              onChange={({ target }) => setEntered(target.value)}
            />
          )}
          <TextField
            label={`Limit (${unit})`}
            hint={`${min.toLocaleString('en')} to ${max.toLocaleString('en')}.${min === 0 ? ' 0 refuses everything.' : ''}`}
            inputMode="numeric"
            value={value}
            fault={faults.value ?? (isNew ? undefined : faults.subject)}
            onChange={({ target }) => setValue(target.value.trim())}
          />
        </>
      )}
    </ActDialog>
  );
}

function titleOf(name: string, subject: Subject | null | undefined): string {
  if (subject === undefined) return `Add exception: ${name}`;
  return subject === null ? `Change limit: ${name}` : `Change limit for ${nameOf(subject)}: ${name}`;
}

interface ResetLimitProps extends SetLimitProps {
  subject: Subject | null;
}

export function ResetLimit({ limit, subject, onClose }: ResetLimitProps) {
  const { kind, name } = limit;
  const then = limitValue(limit, subject === null ? limit.default : limit.value);
  return (
    <ActDialog
      title={subject === null ? `Use default: ${name}` : `Remove the exception for ${nameOf(subject)}: ${name}`}
      doIt={subject === null ? 'Use default' : 'Remove exception'}
      document={OperatorSetLimitDocument}
      variables={(reason) => ({ input: { kind, subject: subject?.subject ?? null, value: null, reason } })}
      onDone={() => {
        onClose();
        say(`The limit is ${then} now.`);
      }}
      onClose={onClose}
    >
      {() => <p>The limit becomes {then}.</p>}
    </ActDialog>
  );
}
