import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { InstancePersonDocument } from '../../gql/instance/people.js';
import type { InstancePersonPageFragment } from '../../gql/types.js';
import { useMe } from '../../me.js';
import { useQuery } from '../../query.js';
import { Copyable } from '../../ui/copy.js';
import { Unshown } from '../../ui/endings.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { Ago, At } from '../../ui/times.js';
import { TargetLog } from '../audit/instance-log.js';
import { nameOf } from '../teams/person.js';
import { ApplicationsPage } from './applications.js';
import { DeletedPerson } from './deleted-person.js';
import { PersonBadges } from './people.js';
import { ExportData, PersonActions } from './person-actions.js';
import { ServersPage } from './servers.js';
import { Suspension } from './suspension.js';
import { figure, OPERATOR_WORDS } from './words.js';

export function Person() {
  const { personId } = useParams({ from: '/frame/instance/people/$personId' });
  return <OnePerson key={personId} id={personId} />;
}

function OnePerson({ id }: { id: string }) {
  const { data, error } = useQuery({ query: InstancePersonDocument, variables: { id } });
  const [isDeleted, setDeleted] = useState(false);
  if (isDeleted) return <DeletedPerson id={id} />;
  if (!data) return error ? <DeletedPerson id={id} otherwise={<Unshown error={error} />} /> : <Skeleton />;
  return <Parts person={data.instance.person} onDeleted={() => setDeleted(true)} />;
}

interface PartsProps {
  person: InstancePersonPageFragment;
  onDeleted: () => void;
}

function Parts({ person, onDeleted }: PartsProps) {
  const { id, user } = person;
  const name = nameOf(user);
  const isOperator = useMe()?.operatorRole === 'OPERATOR';
  useTitle(name, 'Instance');
  return (
    <>
      <p className="small instance-back">
        <Link to="/instance/people">All people</Link>
      </p>
      <header className="noun">
        <Picture url={user.avatarUrl} name={name} isBig isRound />
        <div>
          <Heading>
            <Name>{name}</Name>
          </Heading>
          <p className="soft lead">
            {name !== user.username && user.username}
            <PersonBadges person={person} />
          </p>
        </div>
      </header>
      <Suspension of={person} who="They read" />
      <Facts person={person} />
      <section className="card">
        <h2>Actions</h2>
        {person.operatorRole === null ? (
          <PersonActions person={person} onDeleted={onDeleted} />
        ) : (
          <OfOperators person={person} />
        )}
        {isOperator && <ExportData person={person} />}
      </section>
      <section className="card">
        <h2>Servers they own</h2>
        <ServersPage before={null} search={{}} ownerId={id} empty="They own no servers." />
      </section>
      <section className="card">
        <h2>Applications they own</h2>
        <ApplicationsPage before={null} search={{}} ownerId={id} empty="They own no applications outside of teams." />
      </section>
      <TargetLog id={id} />
    </>
  );
}

function Facts({ person }: { person: InstancePersonPageFragment }) {
  const { id, email, emailVerified, createdAt, seenAt, deletionAt, figures } = person;
  return (
    <section className="card">
      <h2>Account</h2>
      <Copyable label="User ID" text={id} />
      <dl className="facts">
        <dt>Email address</dt>
        <dd>
          {email}
          <span className={emailVerified ? 'badge good' : 'badge warn'}>
            {emailVerified ? 'verified' : 'not verified'}
          </span>
        </dd>
        <dt>Signed up</dt>
        <dd>
          <Ago at={createdAt} />
        </dd>
        <dt>Last seen</dt>
        <dd>{seenAt === null ? 'not yet' : <Ago at={seenAt} />}</dd>
        {deletionAt !== null && (
          <>
            <dt>Deletion</dt>
            <dd>
              <At at={deletionAt} />, as they asked
            </dd>
          </>
        )}
        <dt>Wrote</dt>
        <dd>{figure(figures.messages, 'message')}</dd>
        <dt>Owns</dt>
        <dd>
          {figure(figures.servers, 'server')}, {figure(figures.teams, 'team')},{' '}
          {figure(figures.applications, 'application')}, {figures.boxes === 1 ? '1 box' : `${figures.boxes} boxes`}
        </dd>
      </dl>
    </section>
  );
}

function OfOperators({ person: { user, operatorRole } }: { person: InstancePersonPageFragment }) {
  const mayChange = useMe()?.operatorRole === 'OPERATOR';
  const role = operatorRole === 'OPERATOR' ? 'an operator' : `a ${OPERATOR_WORDS.MODERATOR}`;
  return (
    <p className="hint">
      <Name>{nameOf(user)}</Name> is {role}. Operators and moderators can't act on each other.{' '}
      {mayChange ? (
        <>
          Take the role away first, at <Link to="/instance/operators">Operators</Link>.
        </>
      ) : (
        'An operator can take the role away first.'
      )}
    </p>
  );
}
