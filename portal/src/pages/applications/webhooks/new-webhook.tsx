import { useState } from 'react';
import { CreateWebhookDocument, ServersDocument } from '../../../gql/applications/webhooks/webhooks.js';
import { useQuery } from '../../../query.js';
import { useAction } from '../../../ui/action.js';
import { OpenDialog } from '../../../ui/dialog.js';
import { DialogButtons } from '../../../ui/dialog-buttons.js';
import { Select, TextField } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { Awaited } from '../../../ui/listing.js';
import { SecretsDialog } from '../../../ui/secrets.js';
import { holds } from '../../servers/permissions.js';
import { useApplication } from '../application.js';
import { ChannelSelect } from './channel-select.js';

interface Made {
  name: string;
  url: string;
}

export function NewWebhook({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null);
  if (!made) return <PlaceDialog onClose={onClose} onMade={setMade} />;
  return (
    <SecretsDialog
      title={`URL for ${made.name}`}
      secrets={[{ label: 'Webhook URL', variable: 'WEBHOOK_URL', value: made.url }]}
      onDone={onClose}
    />
  );
}

function PlaceDialog({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const { id: applicationId } = useApplication();
  const [guildId, setGuildId] = useState('');
  const [place, setPlace] = useState({ channelId: '', name: '' });
  const { run, isBusy, problem } = useAction(CreateWebhookDocument, { isQuiet: true });
  const create = async () => {
    const data = await run({ input: { applicationId, ...place } });
    if (data) onMade({ name: place.name, url: data.createWebhook.url });
  };
  const changeServer = (id: string) => {
    setGuildId(id);
    setPlace({ ...place, channelId: '' });
  };
  return (
    <OpenDialog title="New webhook" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={guildId !== '' || place.name !== ''}
        onSubmit={create}
        buttons={(isOff) => <DialogButtons isOff={isOff || place.channelId === ''} doIt="Create webhook" />}
      >
        <ServerSelect value={guildId} onChange={changeServer} />
        <ChannelSelect
          guildId={guildId}
          value={place.channelId}
          onChange={(channelId) => setPlace({ ...place, channelId })}
          fault={problem?.fields.channelId}
        />
        <TextField
          label="Name"
          hint="1–80 characters. Messages show the bot's name instead."
          maxLength={80}
          value={place.name}
          fault={problem?.fields.name}
          onChange={({ target }) => setPlace({ ...place, name: target.value })}
        />
      </Form>
    </OpenDialog>
  );
}

function ServerSelect({ value, onChange }: { value: string; onChange: (guildId: string) => void }) {
  const answer = useQuery({ query: ServersDocument });
  if (!answer.data) return <Awaited answer={answer} lines={1} />;
  const servers = answer.data.guilds.map((guild) => ({
    ...guild,
    isManaged: holds(guild.viewerPermissions, 'ManageGuild'),
  }));
  const hint = servers.every((server) => !server.isManaged) ? NO_SERVER : undefined;
  return (
    <Select label="Server" hint={hint} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">Choose a server</option>
      {servers.map((server) => (
        <option key={server.id} value={server.id} disabled={!server.isManaged}>
          {server.name}
          {!server.isManaged && ' (needs Manage server)'}
        </option>
      ))}
    </Select>
  );
}

const NO_SERVER = 'To create a webhook, you need Manage server in at least one server.';
