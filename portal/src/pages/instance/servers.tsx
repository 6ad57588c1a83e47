import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { InstanceServersDocument } from '../../gql/instance/servers.js';
import type { InstanceServerRowFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import type { ListSearch } from '../../routes/list-search.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';
import { Filter, NewestFirst } from './lists.js';
import { PersonLink } from './person-link.js';
import { figure } from './words.js';

export function Servers() {
  useTitle('Servers', 'Instance');
  const search = useSearch({ from: '/frame/instance/servers' });
  const navigate = useNavigate();
  return (
    <>
      <div className="heading">
        <Heading>Servers</Heading>
      </div>
      <section className="card" aria-label="Servers">
        <p className="soft">Servers on boxes belong to the owners of the boxes, and are not listed.</p>
        <Filter
          hint="Part of a name, or an ID."
          search={search}
          onSearch={(next) => void navigate({ to: '.', search: next, replace: true })}
        />
        <ServersPage key={JSON.stringify(search)} before={null} search={search} empty="No servers match your search." />
      </section>
    </>
  );
}

interface ServersPageProps {
  before: string | null;
  search: Pick<ListSearch, 'search'>;
  /** Default: everyone's. */
  ownerId?: string;
  empty: string;
}

export function ServersPage({ before, ...list }: ServersPageProps) {
  const { search, ownerId = null, empty } = list;
  const answer = useQuery({
    query: InstanceServersDocument,
    variables: { before, ownerId, search: search.search ?? null },
  });
  return (
    <NewestFirst
      answer={answer}
      page={answer.data?.instance.servers}
      empty={empty}
      render={(server) => <ServerItem key={server.id} server={server} namesOwner={ownerId === null} />}
      older={(cursor) => <ServersPage before={cursor} {...list} />}
    />
  );
}

interface ServerItemProps {
  server: InstanceServerRowFragment;
  namesOwner: boolean;
}

function ServerItem({ server: { id, name, createdAt, memberCount, owner }, namesOwner }: ServerItemProps) {
  return (
    <li>
      <div>
        <Link to="/instance/servers/$guildId" params={{ guildId: id }}>
          <Name>{name}</Name>
        </Link>
        <p className="soft small">
          {namesOwner && (
            <>
              Owned by <PersonLink user={owner} /> ·{' '}
            </>
          )}
          {figure(memberCount, 'member')} · created <Ago at={createdAt} />
        </p>
      </div>
    </li>
  );
}
