import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useEndedHere } from '../../ended.js';
import { GuildChangedDocument, GuildDocument } from '../../gql/servers/layout.js';
import type { GuildPageFragment } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Ending, NotFound, Unshown } from '../../ui/endings.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { Side } from '../../ui/side.js';
import { ServerContext } from './server.js';
import './servers.css';

export function ServerLayout() {
  const { guildId } = useParams({ from: '/frame/servers/$guildId' });
  return <OneServer key={guildId} id={guildId} />;
}

function OneServer({ id }: { id: string }) {
  const { data, error } = useQuery({ query: GuildDocument, variables: { id } });
  const isOver = useLive(GuildChangedDocument, { id });
  const isMine = useEndedHere(id);
  if (isOver && data?.guild && !isMine) return <Gone />;
  if (!data) return error ? <Unshown error={error} /> : <Skeleton />;
  if (!data.guild) return <NotFound />;
  return (
    <ServerContext value={data.guild}>
      <Head server={data.guild} />
      <div className="sections">
        <Sections server={data.guild} />
        <div className="content">
          <Outlet />
        </div>
      </div>
    </ServerContext>
  );
}

function Head({ server: { name, iconUrl, owner, tier } }: { server: GuildPageFragment }) {
  return (
    <header className="noun">
      <Picture url={iconUrl} name={name} isBig />
      <div>
        <Heading>
          <Name>{name}</Name>
        </Heading>
        <p className="soft">
          {owner && (
            <>
              Owned by <bdi>{owner.username}</bdi>
            </>
          )}
          <TierBadge tier={tier} />
        </p>
      </div>
    </header>
  );
}

export function TierBadge({ tier }: { tier: GuildPageFragment['tier'] }) {
  return <span className="badge">{tier === 'CLOUD' ? 'cloud' : 'self-hosted'}</span>;
}

const SECTIONS = [
  { to: '/servers/$guildId/general', text: 'General' },
  { to: '/servers/$guildId/channels', text: 'Channels' },
  { to: '/servers/$guildId/roles', text: 'Roles' },
  { to: '/servers/$guildId/members', text: 'Members' },
  { to: '/servers/$guildId/emojis', text: 'Emojis' },
  { to: '/servers/$guildId/integrations', text: 'Integrations' },
  { to: '/servers/$guildId/audit', text: 'Audit log' },
] as const;

function Sections({ server: { id, tier } }: { server: GuildPageFragment }) {
  return (
    <Side label="Server">
      {SECTIONS.map(({ to, text }) => (
        <Link key={to} to={to} params={{ guildId: id }}>
          {text}
        </Link>
      ))}
      {tier === 'SELF_HOSTED' && (
        <Link to="/servers/$guildId/parity" params={{ guildId: id }}>
          Parity
        </Link>
      )}
    </Side>
  );
}

function Gone() {
  return (
    <Ending title="Gone" text="This server was deleted, or you're no longer a member.">
      <Link className="button" to="/servers">
        Go to your servers
      </Link>
    </Ending>
  );
}
