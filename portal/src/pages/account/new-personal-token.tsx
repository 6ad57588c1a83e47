import { useState } from 'react';
import { CreatePersonalTokenDocument } from '../../gql/account/personal-tokens.js';
import { useMe } from '../../me.js';
import { useAction } from '../../ui/action.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { Select, Switch, TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { SecretsDialog } from '../../ui/secrets.js';

const DAYS = [7, 30, 90, 366];
const DEFAULT_DAYS = '90';
const NEVER = 'never';

export function NewPersonalToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ name: string; token: string } | null>(null);
  if (!made) return <NameDialog onClose={onClose} onMade={setMade} />;
  return (
    <SecretsDialog
      title={`Personal token ${made.name}`}
      secrets={[{ label: 'Personal token', variable: 'CAUSEWAY_TOKEN', value: made.token }]}
      onDone={onClose}
    />
  );
}

interface NameDialogProps {
  onClose: () => void;
  onMade: (made: { name: string; token: string }) => void;
}

function NameDialog({ onClose, onMade }: NameDialogProps) {
  const { run, isBusy, problem } = useAction(CreatePersonalTokenDocument, { isQuiet: true });
  const [name, setName] = useState('');
  const [days, setDays] = useState(DEFAULT_DAYS);
  const [forOperator, setForOperator] = useState(false);
  const hasRole = useMe()?.operatorRole != null;
  const create = async () => {
    const data = await run({ input: { name, expiresInDays: days === NEVER ? null : Number(days), forOperator } });
    if (data) onMade({ name, token: data.createPersonalToken.token });
  };
  return (
    <OpenDialog title="New personal token" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={name !== '' || days !== DEFAULT_DAYS || forOperator}
        onSubmit={() => void create()}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create token" />}
      >
        <TextField
          label="Name"
          hint="1–80 characters, for example where you use it."
          maxLength={80}
          value={name}
          fault={problem?.fields.name}
          onChange={({ target }) => setName(target.value)}
        />
        <Select
          label="Expires"
          value={days}
          fault={problem?.fields.expiresInDays}
          onChange={({ target }) => setDays(target.value)}
        >
          {DAYS.map((count) => (
            <option key={count} value={count}>
              in {count} days
            </option>
          ))}
          <option value={NEVER}>never</option>
        </Select>
        {hasRole && (
          <Switch
            label="Act on the whole instance"
            hint="For causeway admin. Anyone with this token can do what you may do under Instance."
            checked={forOperator}
            onChange={({ target }) => setForOperator(target.checked)}
          />
        )}
      </Form>
    </OpenDialog>
  );
}
