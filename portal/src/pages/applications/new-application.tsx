import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useClient } from 'urql';
import { CreateApplicationDocument } from '../../gql/applications/list.js';
import type { CreateApplicationMutation } from '../../gql/types.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextArea, TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { type Problem, problemIn } from '../../ui/problems.js';
import { SecretsDialog } from '../../ui/secrets.js';

type Made = CreateApplicationMutation['createApplication'];

interface NewApplicationProps {
  onClose: () => void;
  /** If undefined, the user owns the application. */
  teamId?: string;
}

export function NewApplication({ onClose, teamId }: NewApplicationProps) {
  const navigate = useNavigate();
  const [made, setMade] = useState<Made | null>(null);
  if (!made) return <NameDialog onClose={onClose} onMade={setMade} owner={teamId === undefined ? {} : { teamId }} />;
  const { application, botToken, clientSecret } = made;
  const goOn = () => {
    onClose();
    void navigate({ to: '/applications/$applicationId/general', params: { applicationId: application.id } });
  };
  return (
    <SecretsDialog
      title={`Secrets for ${application.name}`}
      secrets={[
        { label: 'Bot token', variable: 'BOT_TOKEN', value: botToken },
        { label: 'Client secret', variable: 'CLIENT_SECRET', value: clientSecret },
      ]}
      onDone={goOn}
    />
  );
}

interface NameDialogProps {
  onClose: () => void;
  onMade: (made: Made) => void;
  owner: { teamId?: string };
}

function NameDialog({ onClose, onMade, owner }: NameDialogProps) {
  const client = useClient();
  const [input, setInput] = useState({ name: '', description: '' });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const create = async () => {
    setBusy(true);
    const { data, error } = await client
      .mutation(CreateApplicationDocument, { input: { ...input, ...owner } })
      .toPromise();
    setBusy(false);
    if (data) onMade(data.createApplication);
    else if (error) setProblem(problemIn(error));
  };
  return (
    <OpenDialog title="New application" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={input.name !== '' || input.description !== ''}
        onSubmit={create}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create application" />}
      >
        <TextField
          label="Name"
          hint="2–32 characters. Also your bot's name."
          maxLength={32}
          value={input.name}
          fault={problem?.fields.name}
          onChange={({ target }) => setInput({ ...input, name: target.value })}
        />
        <TextArea
          label="Description"
          hint="Shown when someone installs your application. You can add it later."
          maxLength={400}
          value={input.description}
          fault={problem?.fields.description}
          onChange={({ target }) => setInput({ ...input, description: target.value })}
        />
      </Form>
    </OpenDialog>
  );
}
