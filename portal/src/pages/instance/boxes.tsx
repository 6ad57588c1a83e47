import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { InstanceBoxesDocument, OperatorDisconnectBoxDocument } from '../../gql/instance/boxes.js';
import type { InstanceBoxRowFragment } from '../../gql/types.js';
import { useMe } from '../../me.js';
import { useQuery } from '../../query.js';
import type { ListSearch } from '../../routes/list-search.js';
import { NotFound } from '../../ui/endings.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { say } from '../../ui/toasts.js';
import { BoxState } from '../boxes/card.js';
import { ActDialog } from './act-dialog.js';
import { Filter, NewestFirst } from './lists.js';
import { PersonLink } from './person-link.js';

export function Boxes() {
  useTitle('Boxes', 'Instance');
  const search = useSearch({ from: '/frame/instance/boxes' });
  const navigate = useNavigate();
  if (useMe()?.operatorRole !== 'OPERATOR') return <NotFound />;
  return (
    <>
      <div className="heading">
        <Heading>Boxes</Heading>
      </div>
      <section className="card" aria-label="Boxes">
        <Filter
          hint="Part of a name, or an ID."
          search={search}
          onSearch={(next) => void navigate({ to: '.', search: next, replace: true })}
        />
        <BoxesPage key={JSON.stringify(search)} before={null} search={search} />
      </section>
    </>
  );
}

interface BoxesPageProps {
  before: string | null;
  search: Pick<ListSearch, 'search'>;
}

function BoxesPage({ before, search }: BoxesPageProps) {
  const answer = useQuery({ query: InstanceBoxesDocument, variables: { before, search: search.search ?? null } });
  return (
    <NewestFirst
      answer={answer}
      page={answer.data?.instance.boxes}
      empty="No boxes match your search."
      render={(box) => <BoxItem key={box.id} box={box} />}
      older={(cursor) => <BoxesPage before={cursor} search={search} />}
    />
  );
}

function BoxItem({ box }: { box: InstanceBoxRowFragment }) {
  const { name, owner, protocolVersion, serverNames, mayConnect } = box;
  const [isAsking, ask] = useState(false);
  return (
    <li>
      <div>
        <b>
          <Name>{name}</Name>
        </b>
        <p className="soft small lead">
          <BoxState box={box} />
          {!mayConnect && <span className="badge bad">must enrol again</span>}
        </p>
        <p className="soft small">
          Owned by <PersonLink user={owner} /> · {serverNames.length === 0 ? 'no servers' : serverNames.join(', ')}
          {protocolVersion !== null && ` · protocol version ${protocolVersion}`}
        </p>
      </div>
      <button type="button" className="plain small" aria-label={`Disconnect ${name}`} onClick={() => ask(true)}>
        Disconnect
      </button>
      {isAsking && <Disconnect box={box} onClose={() => ask(false)} />}
    </li>
  );
}

function Disconnect({ box: { id, name }, onClose }: { box: InstanceBoxRowFragment; onClose: () => void }) {
  return (
    <ActDialog
      title={`Disconnect ${name}?`}
      doIt="Disconnect"
      isBad
      document={OperatorDisconnectBoxDocument}
      variables={(reason) => ({ input: { boxId: id, reason } })}
      onDone={() => {
        onClose();
        say(`${name} is disconnected.`);
      }}
      onClose={onClose}
    >
      {() => (
        <p>
          Its connection ends, and its key is refused. Its servers are unavailable until its owner enrols it again with
          a new enrolment token.
        </p>
      )}
    </ActDialog>
  );
}
