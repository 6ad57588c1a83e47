import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateBoxDocument } from '../../gql/boxes/boxes.js';
import type { CreateBoxMutation } from '../../gql/types.js';
import { useInstance } from '../../instance.js';
import { useAction } from '../../ui/action.js';
import { CopyButton } from '../../ui/copy.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { SecretsDialog } from '../../ui/secrets.js';

type Made = CreateBoxMutation['createBox'];

export function NewBox({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [made, setMade] = useState<Made | null>(null);
  if (!made) return <NameDialog onClose={onClose} onMade={setMade} />;
  const goOn = () => {
    onClose();
    void navigate({ to: '/boxes/$boxId', params: { boxId: made.box.id } });
  };
  return <EnrolmentDialog made={made} onDone={goOn} />;
}

/** Shows the token once, with the commands that start the box. */
export function EnrolmentDialog({ made, onDone }: { made: Made; onDone: () => void }) {
  const { issuer } = useInstance();
  const lines = `export BOX_TOKEN=${made.enrolmentToken}\nCLOUD_URL=${issuer} DATA_DIR=./box npm run box`;
  return (
    <SecretsDialog
      title={`Enrolment token for ${made.box.name}`}
      secrets={[{ label: 'Enrolment token', variable: 'BOX_TOKEN', value: made.enrolmentToken }]}
      onDone={onDone}
    >
      <p>The token works once and expires in 7 days. On the box, run these commands in the Causeway folder:</p>
      <pre>{lines}</pre>
      <CopyButton text={lines} what="commands" />
    </SecretsDialog>
  );
}

function NameDialog({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const create = useAction(CreateBoxDocument, { isQuiet: true });
  const [name, setName] = useState('');
  const submit = async () => {
    const data = await create.run({ input: { name } });
    if (data) onMade(data.createBox);
  };
  return (
    <OpenDialog title="New box" onClose={onClose}>
      <Form
        problem={create.problem}
        isBusy={create.isBusy}
        isChanged={name !== ''}
        onSubmit={submit}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create box" />}
      >
        <TextField
          label="Name"
          hint="1–100 characters, for example the box's location."
          maxLength={100}
          value={name}
          fault={create.problem?.fields.name}
          onChange={({ target }) => setName(target.value)}
        />
      </Form>
    </OpenDialog>
  );
}
