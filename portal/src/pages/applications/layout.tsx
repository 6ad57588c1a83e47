import './settings.css';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useEndedHere } from '../../ended.js';
import { ApplicationChangedDocument, ApplicationDocument } from '../../gql/applications/layout.js';
import type { ApplicationPageFragment } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Ending, NotFound, Unshown } from '../../ui/endings.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { Side } from '../../ui/side.js';
import { Ago } from '../../ui/times.js';
import { ApplicationContext } from './application.js';

export function ApplicationLayout() {
  const { applicationId } = useParams({ from: '/frame/applications/$applicationId' });
  return <OneApplication key={applicationId} id={applicationId} />;
}

function OneApplication({ id }: { id: string }) {
  const { data, error } = useQuery({ query: ApplicationDocument, variables: { id } });
  const isOver = useLive(ApplicationChangedDocument, { id });
  const isMine = useEndedHere(id);
  if (!data) return error ? <Unshown error={error} /> : <Skeleton />;
  if (!data.application) return <NotFound />;
  if (isOver && !isMine) return <Gone />;
  const { name, iconUrl, ownerTeam } = data.application;
  return (
    <ApplicationContext value={data.application}>
      <header className="noun">
        <Picture url={iconUrl} name={name} isBig />
        <div>
          <Heading>
            <Name>{name}</Name>
          </Heading>
          {ownerTeam && (
            <p className="soft">
              Owned by <bdi>{ownerTeam.name}</bdi>
            </p>
          )}
        </div>
      </header>
      <Suspension application={data.application} />
      <div className="sections">
        <Sections id={id} />
        <div className="content">
          <Outlet />
        </div>
      </div>
    </ApplicationContext>
  );
}

function Suspension({ application: { suspendedAt, suspensionText } }: { application: ApplicationPageFragment }) {
  if (suspendedAt === null) return null;
  return (
    <section className="notice" aria-label="Suspension">
      <p>
        Suspended by an operator of this instance <Ago at={suspendedAt} />.
      </p>
      {suspensionText && (
        <p>
          <bdi>{suspensionText}</bdi>
        </p>
      )}
      <p>
        The bot is offline, and its token and all OAuth2 tokens are refused. Commands, interactions and webhooks do not
        work. Nothing was removed: everything works again once an operator ends the suspension.
      </p>
    </section>
  );
}

const SECTIONS = [
  { to: '/applications/$applicationId/general', text: 'General' },
  { to: '/applications/$applicationId/installation', text: 'Installation' },
  { to: '/applications/$applicationId/oauth2', text: 'OAuth2' },
  { to: '/applications/$applicationId/bot', text: 'Bot' },
  { to: '/applications/$applicationId/commands', text: 'Commands' },
  { to: '/applications/$applicationId/interactions', text: 'Interactions' },
  { to: '/applications/$applicationId/webhooks', text: 'Webhooks' },
  { to: '/applications/$applicationId/emojis', text: 'Emojis' },
  { to: '/applications/$applicationId/testers', text: 'Testers' },
  { to: '/applications/$applicationId/as-code', text: 'As code' },
  { to: '/applications/$applicationId/audit', text: 'Audit log' },
] as const;

function Sections({ id }: { id: string }) {
  return (
    <Side label="Application">
      {SECTIONS.map(({ to, text }) => (
        <Link key={to} to={to} params={{ applicationId: id }}>
          {text}
        </Link>
      ))}
    </Side>
  );
}

function Gone() {
  return (
    <Ending title="Gone" text="You can no longer see this application. It was deleted, or you lost access to it.">
      <Link className="button" to="/applications">
        Go to applications
      </Link>
    </Ending>
  );
}
