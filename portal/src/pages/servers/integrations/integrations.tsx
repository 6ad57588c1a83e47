import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  GuildInstallationsChangedDocument,
  GuildInstallationsDocument,
  UninstallApplicationDocument,
} from '../../../gql/servers/integrations/integrations.js';
import type { InstallationRowFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { Danger, useAction } from '../../../ui/action.js';
import { GuardedButton } from '../../../ui/guarded.js';
import { isFull, Listing, More } from '../../../ui/listing.js';
import { Name, useTitle } from '../../../ui/page.js';
import { Picture } from '../../../ui/picture.js';
import { Ago } from '../../../ui/times.js';
import { say } from '../../../ui/toasts.js';
import { namedPermissions } from '../permissions.js';
import { useInstallLack, useServer } from '../server.js';
import './integrations.css';

export function Integrations() {
  useTitle('Integrations', useServer().name);
  return (
    <section className="card">
      <h2>Integrations</h2>
      <InstallPage after={null} />
    </section>
  );
}

function InstallPage({ after }: { after: string | null }) {
  const { id } = useServer();
  const variables = { id, after };
  const answer = useQuery({ query: GuildInstallationsDocument, variables });
  useLive(GuildInstallationsChangedDocument, variables);
  const installations = answer.data?.guild?.installations;
  return (
    <>
      <Listing
        shape="list"
        answer={answer}
        items={installations}
        empty={
          after === null
            ? "No applications installed. Open an application's install link and choose this server. Developers find the link on the Installation page."
            : 'No more applications.'
        }
        render={(one) => <InstallRow key={one.id} installation={one} />}
      />
      {isFull(installations) && (
        <More>
          <InstallPage after={installations.at(-1)?.id ?? null} />
        </More>
      )}
    </>
  );
}

function InstallRow({ installation }: { installation: InstallationRowFragment }) {
  const { id: guildId } = useServer();
  const [isAsking, ask] = useState(false);
  const lack = useInstallLack();
  const { application, scopes, permissions, createdAt, installedBy } = installation;
  const names = namedPermissions(permissions).map(({ text }) => text);
  return (
    <li>
      <div className="pictured">
        <Picture url={application.iconUrl} name={application.name} />
        <div>
          <Link to="/servers/$guildId/integrations/$applicationId" params={{ guildId, applicationId: application.id }}>
            <Name>{application.name}</Name>
          </Link>
          <p className="soft small">
            Installed <Ago at={createdAt} />
            {installedBy && (
              <>
                {' '}
                by <bdi>{installedBy.username}</bdi>
              </>
            )}
          </p>
          <p className="small">
            Scopes: <span className="soft">{scopes.join(', ')}</span>
          </p>
          <p className="small">
            Permissions: <span className="soft">{names.length > 0 ? names.join(', ') : 'none'}</span>
          </p>
        </div>
      </div>
      <GuardedButton
        className="plain small"
        aria-label={`Uninstall ${application.name}`}
        reason={lack}
        onClick={() => ask(true)}
      >
        Uninstall
      </GuardedButton>
      {isAsking && <Uninstall installation={installation} onClose={() => ask(false)} />}
    </li>
  );
}

function Uninstall({
  installation: { id, application },
  onClose,
}: {
  installation: InstallationRowFragment;
  onClose: () => void;
}) {
  const { run, isBusy, problem } = useAction(UninstallApplicationDocument, { isQuiet: true });
  const uninstall = async () => {
    if (!(await run({ input: { installationId: id } }))) return;
    say(`${application.name} was uninstalled.`);
    onClose();
  };
  return (
    <Danger
      title={`Uninstall ${application.name}?`}
      doIt="Uninstall application"
      onDo={uninstall}
      {...{ onClose, isBusy, problem }}
    >
      <p>Its bot leaves this server, and its role, commands and command permissions are removed.</p>
    </Danger>
  );
}
