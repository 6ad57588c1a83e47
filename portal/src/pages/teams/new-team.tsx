import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateTeamDocument } from '../../gql/teams/list.js';
import { useAction } from '../../ui/action.js';
import { closeFirst, OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { ImageField } from '../../ui/image-field.js';
import './teams.css';

export function NewTeam({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(CreateTeamDocument, { isQuiet: true });
  const [name, setName] = useState('');
  const [icon, setIcon] = useState<File | null>(null);
  const create = async () => {
    const made = await run({ input: { name, ...(icon ? { icon } : {}) } });
    if (!made) return;
    closeFirst(onClose);
    void navigate({ to: '/teams/$teamId/members', params: { teamId: made.createTeam.team.id } });
  };
  return (
    <OpenDialog title="New team" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={name !== '' || icon !== null}
        onSubmit={create}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create team" />}
      >
        <TextField
          label="Name"
          hint="2–32 characters."
          maxLength={32}
          value={name}
          fault={problem?.fields.name}
          onChange={({ target }) => setName(target.value)}
        />
        <ImageField
          label="Icon"
          hint="PNG, JPEG, GIF or WebP, up to 10 MiB. Choose a file or drop it here."
          value={icon}
          fault={problem?.fields.icon}
          onChange={setIcon}
        />
      </Form>
    </OpenDialog>
  );
}
