import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { GuildsChangedDocument, GuildsDocument, MoreGuildsDocument } from '../../gql/servers/list.js';
import type { GuildCardFragment } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { isFull, Listing, More } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { JoinServer } from './join-server.js';
import { NewServer } from './new-server.js';

export function Servers() {
  useTitle('Servers');
  const [opened, open] = useState<'new' | 'join' | null>(null);
  const answer = useQuery({ query: GuildsDocument });
  useLive(GuildsChangedDocument, {});
  const servers = answer.data?.portalHome.guilds;
  const close = () => open(null);
  return (
    <>
      <div className="heading">
        <Heading>Servers</Heading>
        <div className="actions">
          <button type="button" className="plain" onClick={() => open('join')}>
            Join with an invite
          </button>
          <button type="button" onClick={() => open('new')}>
            New server
          </button>
        </div>
      </div>
      <Listing
        answer={answer}
        items={servers}
        empty="Create your first server to add channels, invite members and install applications."
        render={(server) => <ServerCard key={server.id} server={server} />}
      />
      {isFull(servers) && <MoreServers after={servers.at(-1)?.id ?? ''} />}
      {opened === 'new' && <NewServer onClose={close} />}
      {opened === 'join' && <JoinServer onClose={close} />}
    </>
  );
}

function MoreServers({ after }: { after: string }) {
  return (
    <More>
      <NextServers after={after} />
    </More>
  );
}

function NextServers({ after }: { after: string }) {
  const answer = useQuery({ query: MoreGuildsDocument, variables: { after } });
  const servers = answer.data?.guilds;
  return (
    <>
      <Listing
        answer={answer}
        items={servers}
        empty="No more servers."
        render={(server) => <ServerCard key={server.id} server={server} />}
      />
      {isFull(servers) && <MoreServers after={servers.at(-1)?.id ?? ''} />}
    </>
  );
}

export function ServerCard({ server: { id, name, description, iconUrl, tier } }: { server: GuildCardFragment }) {
  return (
    <li className="tile">
      <Picture url={iconUrl} name={name} />
      <div>
        <Link to="/servers/$guildId" params={{ guildId: id }}>
          <Name>{name}</Name>
        </Link>
        <p className="soft small">
          {description}
          {tier === 'SELF_HOSTED' && <span className="badge">self-hosted</span>}
        </p>
      </div>
    </li>
  );
}
