import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { InstanceApplicationsDocument } from '../../gql/instance/applications.js';
import type { InstanceApplicationRowFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import type { ListSearch } from '../../routes/list-search.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';
import { Filter, filterOf, NewestFirst } from './lists.js';
import { PersonLink } from './person-link.js';

export function Applications() {
  useTitle('Applications', 'Instance');
  const search = useSearch({ from: '/frame/instance/applications' });
  const navigate = useNavigate();
  return (
    <>
      <div className="heading">
        <Heading>Applications</Heading>
      </div>
      <section className="card" aria-label="Applications">
        <Filter
          hint="Part of a name, or an ID."
          search={search}
          onSearch={(next) => void navigate({ to: '.', search: next, replace: true })}
          hasStates
        />
        <ApplicationsPage
          key={JSON.stringify(search)}
          before={null}
          search={search}
          empty="No applications match your search."
        />
      </section>
    </>
  );
}

interface ApplicationsPageProps {
  before: string | null;
  search: ListSearch;
  /** Default: everyone's. */
  ownerId?: string;
  empty: string;
}

export function ApplicationsPage({ before, ...list }: ApplicationsPageProps) {
  const { search, ownerId = null, empty } = list;
  const answer = useQuery({
    query: InstanceApplicationsDocument,
    variables: { before, ownerId, ...filterOf(search) },
  });
  return (
    <NewestFirst
      answer={answer}
      page={answer.data?.instance.applications}
      empty={empty}
      render={(application) => (
        <ApplicationItem key={application.id} application={application} namesOwner={ownerId === null} />
      )}
      older={(cursor) => <ApplicationsPage before={cursor} {...list} />}
    />
  );
}

interface ApplicationItemProps {
  application: InstanceApplicationRowFragment;
  namesOwner: boolean;
}

function ApplicationItem({ application, namesOwner }: ApplicationItemProps) {
  const { id, name, createdAt, suspendedAt } = application;
  return (
    <li>
      <div>
        <Link to="/instance/applications/$applicationId" params={{ applicationId: id }}>
          <Name>{name}</Name>
        </Link>
        {suspendedAt !== null && <span className="badge bad">suspended</span>}
        <p className="soft small">
          {namesOwner ? (
            <>
              Owned by <ApplicationOwner application={application} /> · created
            </>
          ) : (
            'Created'
          )}{' '}
          <Ago at={createdAt} />
        </p>
      </div>
    </li>
  );
}

export function ApplicationOwner({ application }: { application: InstanceApplicationRowFragment }) {
  const { ownerUser, ownerTeamName } = application;
  if (ownerUser) return <PersonLink user={ownerUser} />;
  return (
    <>
      the team <Name>{ownerTeamName ?? ''}</Name>
    </>
  );
}
