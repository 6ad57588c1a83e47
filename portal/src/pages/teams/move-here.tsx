import { useState } from 'react';
import { MoveApplicationDocument, OwnApplicationsDocument } from '../../gql/teams/applications.js';
import type { OwnApplicationsQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Danger, useAction } from '../../ui/action.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogEnd } from '../../ui/dialog-buttons.js';
import { Listing } from '../../ui/listing.js';
import { Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { say } from '../../ui/toasts.js';
import { useTeam } from './team.js';

type Own = OwnApplicationsQuery['applications'][number];

export function MoveHere({ onClose }: { onClose: () => void }) {
  const [chosen, choose] = useState<Own | null>(null);
  return chosen ? (
    <MoveQuestion application={chosen} onClose={onClose} />
  ) : (
    <Choice onChoose={choose} onClose={onClose} />
  );
}

function Choice({ onChoose, onClose }: { onChoose: (application: Own) => void; onClose: () => void }) {
  const answer = useQuery({ query: OwnApplicationsDocument });
  return (
    <OpenDialog title="Move one of mine here" onClose={onClose}>
      <p>Which one? What a team owns already stays there.</p>
      <Listing
        answer={answer}
        items={answer.data?.applications.filter(({ ownerTeam }) => ownerTeam === null)}
        empty="You own no application yourself."
        render={(application) => (
          <li key={application.id}>
            <button type="button" className="plain choice" onClick={() => onChoose(application)}>
              <Picture url={application.iconUrl} name={application.name} />
              <Name>{application.name}</Name>
            </button>
          </li>
        )}
      />
      <DialogEnd text="Cancel" />
    </OpenDialog>
  );
}

function MoveQuestion({ application, onClose }: { application: Own; onClose: () => void }) {
  const team = useTeam();
  const { run, isBusy, problem } = useAction(MoveApplicationDocument, { isQuiet: true });
  const move = async (appName: string) => {
    if (!(await run({ input: { applicationId: application.id, teamId: team.id, appName } }))) return;
    say(`${application.name} belongs to ${team.name} now`);
    onClose();
  };
  return (
    <Danger
      title={`Move ${application.name} to ${team.name}?`}
      doIt="Move"
      onDo={move}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      typed={{ name: application.name, label: "Type the application's name" }}
    >
      <p>This is one way: it cannot be moved back, nor to another team.</p>
      <ul>
        <li>The bot token, the client secret, its users' tokens and its webhooks stay valid.</li>
        <li>Its icon, commands and installations stay as they are.</li>
        <li>The team's members see it and work on it by their roles. You keep the owner's level on it.</li>
      </ul>
    </Danger>
  );
}
