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
    <OpenDialog title="Move an application here" onClose={onClose}>
      <p>Choose one of your applications. Applications that belong to a team can't be moved.</p>
      <Listing
        answer={answer}
        items={answer.data?.applications.filter(({ ownerTeam }) => ownerTeam === null)}
        empty="You have no applications to move. Applications that belong to a team are not listed."
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
    say(`${application.name} now belongs to ${team.name}`);
    onClose();
  };
  return (
    <Danger
      title={`Move ${application.name} to ${team.name}?`}
      doIt="Move application"
      onDo={move}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      typed={{ name: application.name, label: "Type the application's name" }}
    >
      <p>You can't move the application back or to another team.</p>
      <ul>
        <li>The bot token, client secret, user tokens and webhooks stay valid.</li>
        <li>The icon, commands and installations don't change.</li>
        <li>Team members get access according to their roles. You keep the access of an owner.</li>
      </ul>
    </Danger>
  );
}
