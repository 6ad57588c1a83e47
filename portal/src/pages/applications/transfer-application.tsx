import { useState } from 'react';
import { TeamsToOwnDocument, TransferApplicationDocument } from '../../gql/applications/danger.js';
import { useQuery } from '../../query.js';
import { Danger, useAction } from '../../ui/action.js';
import { Select } from '../../ui/field.js';
import { Awaited } from '../../ui/listing.js';
import { say } from '../../ui/toasts.js';
import { useApplication } from './application.js';

export function TransferApplication({ onClose }: { onClose: () => void }) {
  const { id, name } = useApplication();
  const [teamId, setTeamId] = useState('');
  const { run, isBusy, problem } = useAction(TransferApplicationDocument, { isQuiet: true });
  const onDo = async (typed: string) => {
    const done = await run({ input: { applicationId: id, teamId, appName: typed } });
    if (!done) return;
    onClose();
    say(`Transferred ${name} to the team`);
  };
  return (
    <Danger
      title={`Transfer ${name} to a team?`}
      doIt="Transfer application"
      typed={{ name, label: "Type the application's name" }}
      isBusy={isBusy || teamId === ''}
      {...{ onDo, onClose, problem }}
    >
      <p>
        <strong>This can't be undone.</strong> An application can't leave its team.
      </p>
      <ul>
        <li>Bot token, client secret, OAuth2 tokens and webhooks stay valid.</li>
        <li>Icon, cover, commands, installations and testers stay as they are.</li>
        <li>Team members get access according to their role. You keep owner access.</li>
      </ul>
      <TeamSelect value={teamId} onChange={setTeamId} />
    </Danger>
  );
}

function TeamSelect({ value, onChange }: { value: string; onChange: (teamId: string) => void }) {
  const answer = useQuery({ query: TeamsToOwnDocument });
  if (!answer.data) return <Awaited answer={answer} lines={1} />;
  const teams = answer.data.teams.filter(({ viewerOperations }) => viewerOperations.includes('RECEIVE_APPLICATION'));
  return (
    <Select
      label="Team"
      hint={
        teams.length === 0
          ? "You don't own or administer a team. Create one first."
          : 'Only teams you own or administer are listed.'
      }
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">Choose a team</option>
      {teams.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
