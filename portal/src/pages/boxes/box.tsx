import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { endHere, useEndedHere } from '../../ended.js';
import {
  BoxChangedDocument,
  BoxDocument,
  DeleteBoxDocument,
  NewEnrolmentTokenDocument,
  RenameBoxDocument,
} from '../../gql/boxes/boxes.js';
import type { BoxCardFragment, NewEnrolmentTokenMutation } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Danger, useAction } from '../../ui/action.js';
import { Copyable } from '../../ui/copy.js';
import { useDraft } from '../../ui/draft.js';
import { Ending, NotFound, Unshown } from '../../ui/endings.js';
import { TextField } from '../../ui/field.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { Ago } from '../../ui/times.js';
import { BoxState } from './card.js';
import { EnrolmentDialog } from './new-box.js';
import { Parity } from './parity.js';
import { Statistics } from './statistics.js';

export function Box() {
  const { boxId } = useParams({ from: '/frame/boxes/$boxId' });
  return <OneBox key={boxId} id={boxId} />;
}

function OneBox({ id }: { id: string }) {
  const { data, error } = useQuery({ query: BoxDocument, variables: { id } });
  const isOver = useLive(BoxChangedDocument, { id });
  const isMine = useEndedHere(id);
  if (isOver && data?.box && !isMine) return <Gone />;
  if (!data) return error ? <Unshown error={error} /> : <Skeleton />;
  return data.box ? <Parts box={data.box} /> : <NotFound />;
}

function Parts({ box }: { box: BoxCardFragment }) {
  const { id, name, lastSeenAt, protocolVersion } = box;
  useTitle(name);
  return (
    <>
      <header className="noun">
        <div>
          <Heading>
            <Name>{name}</Name>
          </Heading>
          <p className="lead">
            <BoxState box={box} />
          </p>
        </div>
      </header>
      <section className="card">
        <h2>Details</h2>
        <Copyable label="Box ID" text={id} />
        <dl>
          <dt>Last seen</dt>
          <dd>{lastSeenAt === null ? 'never' : <Ago at={lastSeenAt} />}</dd>
          <dt>Protocol version</dt>
          <dd>{protocolVersion ?? 'unknown until the box first connects'}</dd>
        </dl>
        <BoxName box={box} />
      </section>
      <Servers box={box} />
      <Statistics boxId={id} />
      <Enrolment box={box} />
      <DeleteBox box={box} />
    </>
  );
}

function BoxName({ box: { id, name } }: { box: BoxCardFragment }) {
  const rename = useAction(RenameBoxDocument, { isQuiet: true });
  const draft = useDraft({ name });
  return (
    <DraftForm
      draft={draft}
      names={{ name: 'Name' }}
      save={async () => rename.ask({ input: { boxId: id, name: draft.value.name } })}
    >
      {(faults) => (
        <TextField
          label="Name"
          maxLength={100}
          value={draft.value.name}
          fault={faults.name}
          onChange={({ target }) => draft.set('name', target.value)}
        />
      )}
    </DraftForm>
  );
}

function Servers({ box: { guilds } }: { box: BoxCardFragment }) {
  return (
    <section className="card">
      <h2>Servers</h2>
      {guilds.length === 0 ? (
        <p className="hint">No servers yet. Sign in on the box to create one.</p>
      ) : (
        guilds.map(({ id, name }) => <Parity key={id} guildId={id} name={name} />)
      )}
    </section>
  );
}

function Enrolment({ box }: { box: BoxCardFragment }) {
  const renew = useAction(NewEnrolmentTokenDocument);
  const [made, setMade] = useState<NewEnrolmentTokenMutation['newEnrolmentToken'] | null>(null);
  const ask = async () => {
    const data = await renew.run({ id: box.id });
    if (data) setMade(data.newEnrolmentToken);
  };
  return (
    <section className="card">
      <h2>Enrolment</h2>
      <p>
        Create a token to enrol this box again, for example on another machine. The current key works until the new
        token is used. Earlier tokens stop working immediately.
      </p>
      <button type="button" className="plain" disabled={renew.isOff} onClick={ask}>
        New enrolment token
      </button>
      {made && <EnrolmentDialog made={made} onDone={() => setMade(null)} />}
    </section>
  );
}

function DeleteBox({ box }: { box: BoxCardFragment }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <section className="card danger">
      <h2>Danger zone</h2>
      <p>Permanently disconnect this box. Data on the box is not deleted.</p>
      <button type="button" className="plain bad" onClick={() => setAsked(true)}>
        Delete box
      </button>
      {isAsked && <DeleteQuestion box={box} onClose={() => setAsked(false)} />}
    </section>
  );
}

function DeleteQuestion({ box: { id, name }, onClose }: { box: BoxCardFragment; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useAction(DeleteBoxDocument, { isQuiet: true });
  const doIt = async () => {
    if (await endHere(id, () => remove.run({ id }))) void navigate({ to: '/boxes', ignoreBlocker: true });
  };
  return (
    <Danger
      title={`Delete ${name}?`}
      doIt="Delete box"
      typed={{ name, label: "Type the box's name" }}
      onDo={doIt}
      onClose={onClose}
      isBusy={remove.isBusy}
      problem={remove.problem}
    >
      <p>
        Applications and webhooks are removed from the box's servers, and bots lose access to them. This cannot be
        undone.
      </p>
    </Danger>
  );
}

function Gone() {
  return (
    <Ending title="Gone" text="This box was deleted.">
      <Link className="button" to="/boxes">
        Go to your boxes
      </Link>
    </Ending>
  );
}
