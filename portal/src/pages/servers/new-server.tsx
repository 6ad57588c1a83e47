import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateGuildDocument } from '../../gql/servers/list.js';
import { useAction } from '../../ui/action.js';
import { closeFirst, OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextArea, TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';

export function NewServer({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [input, setInput] = useState({ name: '', description: '' });
  const { run, isBusy, problem } = useAction(CreateGuildDocument, { isQuiet: true });
  const create = async () => {
    const data = await run({ input });
    if (!data) return;
    closeFirst(onClose);
    void navigate({ to: '/servers/$guildId/general', params: { guildId: data.createGuild.guild.id } });
  };
  return (
    <OpenDialog title="New server" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={input.name !== '' || input.description !== ''}
        onSubmit={create}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create server" />}
      >
        <TextField
          label="Name"
          hint="2–100 characters. Your server starts with a text channel and a voice channel."
          maxLength={100}
          value={input.name}
          fault={problem?.fields.name}
          onChange={({ target }) => setInput({ ...input, name: target.value })}
        />
        <TextArea
          label="Description"
          hint="Optional. You can add it later."
          maxLength={300}
          value={input.description}
          fault={problem?.fields.description}
          onChange={({ target }) => setInput({ ...input, description: target.value })}
        />
      </Form>
    </OpenDialog>
  );
}
