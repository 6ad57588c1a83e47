import { useNavigate, useSearch } from '@tanstack/react-router';
import { InstancePeopleDocument } from '../../gql/instance/people.js';
import type { InstancePersonRowFragment } from '../../gql/types.js';
import { useMyId } from '../../me.js';
import { useQuery } from '../../query.js';
import type { ListSearch } from '../../routes/list-search.js';
import { Heading, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { Ago } from '../../ui/times.js';
import { nameOf } from '../teams/person.js';
import { Filter, filterOf, NewestFirst } from './lists.js';
import { PersonLink } from './person-link.js';
import { OPERATOR_WORDS } from './words.js';

export function People() {
  useTitle('People', 'Instance');
  const search = useSearch({ from: '/frame/instance/people' });
  const navigate = useNavigate();
  return (
    <>
      <div className="heading">
        <Heading>People</Heading>
      </div>
      <section className="card" aria-label="People">
        <Filter
          hint="Part of a username, display name or email address, or an ID."
          search={search}
          onSearch={(next) => void navigate({ to: '.', search: next, replace: true })}
          hasStates
        />
        <PeoplePage key={JSON.stringify(search)} before={null} search={search} />
      </section>
    </>
  );
}

function PeoplePage({ before, search }: { before: string | null; search: ListSearch }) {
  const answer = useQuery({ query: InstancePeopleDocument, variables: { before, ...filterOf(search) } });
  return (
    <NewestFirst
      answer={answer}
      page={answer.data?.instance.people}
      empty="No people match your search."
      render={(person) => <PersonItem key={person.id} person={person} />}
      older={(cursor) => <PeoplePage before={cursor} search={search} />}
    />
  );
}

function PersonItem({ person }: { person: InstancePersonRowFragment }) {
  const { user, email, createdAt, seenAt } = person;
  return (
    <li>
      <div className="pictured">
        <Picture url={user.avatarUrl} name={nameOf(user)} isRound />
        <div>
          <PersonLink user={user} />
          <PersonBadges person={person} />
          <p className="soft small">{email}</p>
          <p className="soft small">
            Signed up <Ago at={createdAt} /> ·{' '}
            {seenAt === null ? (
              'not seen yet'
            ) : (
              <>
                seen <Ago at={seenAt} />
              </>
            )}
          </p>
        </div>
      </div>
    </li>
  );
}

export function PersonBadges({
  person,
}: {
  person: Pick<InstancePersonRowFragment, 'id' | 'operatorRole' | 'suspendedAt'>;
}) {
  const { id, operatorRole, suspendedAt } = person;
  const me = useMyId();
  return (
    <>
      {operatorRole !== null && <span className="badge">{OPERATOR_WORDS[operatorRole]}</span>}
      {id === me && <span className="badge">you</span>}
      {suspendedAt !== null && <span className="badge bad">suspended</span>}
    </>
  );
}
