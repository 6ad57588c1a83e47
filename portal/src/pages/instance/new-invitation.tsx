import { useState } from 'react';
import { OperatorCreateInvitationDocument } from '../../gql/instance/invitations.js';
import { useAction } from '../../ui/action.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { Select, TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { SecretsDialog } from '../../ui/secrets.js';

const USES = [1, 5, 25, 100];
const DAYS = [1, 7, 30, 365];
const NO_LIMIT = 'none';

const numberIn = (choice: string) => (choice === NO_LIMIT ? null : Number(choice));

export function NewInvitation({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState<string | null>(null);
  if (url === null) return <Choices onClose={onClose} onMade={setUrl} />;
  return (
    <SecretsDialog title="Invitation" secrets={[{ label: 'Link', value: url }]} onDone={onClose}>
      <p>Everyone who has the link can sign up with it, as often as the invitation allows.</p>
    </SecretsDialog>
  );
}

function Choices({ onClose, onMade }: { onClose: () => void; onMade: (url: string) => void }) {
  const { run, isBusy, problem } = useAction(OperatorCreateInvitationDocument, { isQuiet: true });
  const [note, setNote] = useState('');
  const [uses, setUses] = useState('1');
  const [days, setDays] = useState('7');
  const create = async () => {
    const data = await run({ input: { note, maxUses: numberIn(uses), expiresInDays: numberIn(days) } });
    if (data) onMade(data.operatorCreateInvitation.url);
  };
  return (
    <OpenDialog title="New invitation" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={note !== '' || uses !== '1' || days !== '7'}
        onSubmit={() => void create()}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create invitation" />}
      >
        <TextField
          label="Note"
          hint="Optional, for operators only: for example whom it is for."
          maxLength={100}
          value={note}
          fault={problem?.fields.note}
          onChange={({ target }) => setNote(target.value)}
        />
        <Select
          label="People who can use it"
          value={uses}
          fault={problem?.fields.maxUses}
          onChange={({ target }) => setUses(target.value)}
        >
          {USES.map((count) => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
          <option value={NO_LIMIT}>any number</option>
        </Select>
        <Select
          label="Expires"
          value={days}
          fault={problem?.fields.expiresInDays}
          onChange={({ target }) => setDays(target.value)}
        >
          {DAYS.map((count) => (
            <option key={count} value={count}>
              in {count} {count === 1 ? 'day' : 'days'}
            </option>
          ))}
          <option value={NO_LIMIT}>never</option>
        </Select>
      </Form>
    </OpenDialog>
  );
}
