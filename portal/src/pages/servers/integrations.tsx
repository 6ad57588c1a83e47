import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { GuildInstallationsDocument, UninstallApplicationDocument } from '../../gql/servers/integrations.js';
import type { InstallationRowFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Danger, useAction } from '../../ui/action.js';
import { Listing } from '../../ui/listing.js';
import { Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { say } from '../../ui/toasts.js';
import { namedPermissions } from './permissions.js';
import { useLack, useServer } from './server.js';
import './integrations.css';

/** All applications that are installed in the server. */
export function Integrations() {
  const { id, name } = useServer();
  useTitle('Integrations', name);
  const [answer, ask] = useQuery({ query: GuildInstallationsDocument, variables: { id } });
  return (
    <section className="card">
      <h2>Integrations</h2>
      <Listing
        shape="list"
        answer={answer}
        items={answer.data?.guild?.installations}
        empty="No application is installed here. Open the install link of one, which its developers have under Installation, and choose this server."
        render={(one) => (
          <InstallRow key={one.id} installation={one} onGone={() => ask({ requestPolicy: 'network-only' })} />
        )}
      />
    </section>
  );
}

function InstallRow({ installation, onGone }: { installation: InstallationRowFragment; onGone: () => void }) {
  const { id: guildId } = useServer();
  const [isAsking, ask] = useState(false);
  const lack = useLack('ManageGuild');
  const { application, scopes, permissions } = installation;
  const names = namedPermissions(permissions).map(({ text }) => text);
  return (
    <li>
      <div className="pictured">
        <Picture url={application.iconUrl} name={application.name} />
        <div>
          <Link to="/servers/$guildId/integrations/$applicationId" params={{ guildId, applicationId: application.id }}>
            <Name>{application.name}</Name>
          </Link>
          <p className="small">
            Scopes: <span className="soft">{scopes.join(', ')}</span>
          </p>
          <p className="small">
            Permissions: <span className="soft">{names.length > 0 ? names.join(', ') : 'none'}</span>
          </p>
        </div>
      </div>
      <div>
        <button
          type="button"
          className="plain small"
          aria-label={`Uninstall ${application.name}`}
          disabled={lack !== undefined}
          onClick={() => ask(true)}
        >
          Uninstall
        </button>
        {lack && <p className="soft small">{lack}</p>}
      </div>
      {isAsking && <Uninstall installation={installation} onClose={() => ask(false)} onGone={onGone} />}
    </li>
  );
}

interface UninstallProps {
  installation: InstallationRowFragment;
  onClose: () => void;
  onGone: () => void;
}

function Uninstall({ installation: { id, application }, onClose, onGone }: UninstallProps) {
  const { run, isBusy, problem } = useAction(UninstallApplicationDocument, { isQuiet: true });
  const uninstall = async () => {
    if (!(await run({ input: { installationId: id } }))) return;
    say(`${application.name} is uninstalled.`);
    onClose();
    onGone();
  };
  return (
    <Danger
      title={`Uninstall ${application.name}?`}
      doIt="Uninstall"
      onDo={uninstall}
      {...{ onClose, isBusy, problem }}
    >
      <p>Its bot leaves this server, its role goes, and its commands with all that was said of who may run them.</p>
    </Danger>
  );
}
