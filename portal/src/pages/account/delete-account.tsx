import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { AccountDeletionDocument, DeleteAccountDocument } from '../../gql/account/delete-account.js';
import type { AccountDeletionPageFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { tellSignedOut } from '../../session.js';
import { useAction } from '../../ui/action.js';
import { closeFirst, OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { Unshown } from '../../ui/endings.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { Skeleton } from '../../ui/listing.js';
import { Name } from '../../ui/page.js';
import { At } from '../../ui/times.js';

export function DeleteAccount() {
  const { data, error, again } = useQuery({ query: AccountDeletionDocument });
  return (
    <section className="card" aria-labelledby="delete-account">
      <h2 id="delete-account">Delete my account</h2>
      {data && <Parts deletion={data.accountDeletion} onDone={again} />}
      {!data && (error ? <Unshown error={error} isPart /> : <Skeleton lines={2} />)}
    </section>
  );
}

interface DeletionProps {
  deletion: AccountDeletionPageFragment;
  onDone: () => void;
}

function Parts({ deletion, onDone }: DeletionProps) {
  const { deletionAt, days } = deletion;
  const [isAsking, ask] = useState(false);
  if (deletionAt !== null)
    return (
      <p>
        Your account will be deleted on <At at={deletionAt} />. The notice at the top of each page keeps it.
      </p>
    );
  const isInTheWay = deletion.isOperator || obstaclesOf(deletion).length > 0;
  return (
    <>
      <p>
        {days === 0 ? 'Your account is deleted at once.' : `Your account is deleted after ${daysText(days)}.`} Your
        name, email address and avatar disappear everywhere. Your messages stay, by “Deleted User”.
      </p>
      <Applications count={deletion.applications} />
      {isInTheWay ? (
        <Obstacles deletion={deletion} />
      ) : (
        <button type="button" className="bad" onClick={() => ask(true)}>
          Delete my account
        </button>
      )}
      {isAsking && <Confirm deletion={deletion} onDone={onDone} onClose={() => ask(false)} />}
    </>
  );
}

function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

function Applications({ count }: { count: number }) {
  if (count === 0) return null;
  const [own, them] = count === 1 ? ['Your application is', 'it'] : [`Your ${count} applications are`, 'them'];
  return (
    <p>
      {own} deleted, too. To keep {them}, transfer {them} to another person's team first, at{' '}
      <Link to="/applications">Applications</Link>.
    </p>
  );
}

interface Obstacle {
  id: string;
  kind: string;
  link: ReactNode;
}

function obstaclesOf({ servers, teams, boxes, boxServers }: AccountDeletionPageFragment): Obstacle[] {
  return [
    ...servers.map(({ id, name }) => ({
      id,
      kind: 'server',
      link: (
        <Link to="/servers/$guildId" params={{ guildId: id }}>
          <Name>{name}</Name>
        </Link>
      ),
    })),
    ...teams.map(({ id, name }) => ({
      id,
      kind: 'team',
      link: (
        <Link to="/teams/$teamId" params={{ teamId: id }}>
          <Name>{name}</Name>
        </Link>
      ),
    })),
    ...boxes.map(({ id, name }) => ({
      id,
      kind: 'box',
      link: (
        <Link to="/boxes/$boxId" params={{ boxId: id }}>
          <Name>{name}</Name>
        </Link>
      ),
    })),
    ...boxServers.map(({ id, name }) => ({ id, kind: 'server on a box', link: <Name>{name}</Name> })),
  ];
}

function Obstacles({ deletion }: { deletion: AccountDeletionPageFragment }) {
  const obstacles = obstaclesOf(deletion);
  return (
    <div className="hint">
      {deletion.isOperator && (
        <p>You have a role on this instance. Ask another operator to take it away before you delete your account.</p>
      )}
      {obstacles.length > 0 && (
        <>
          <p>Before you delete your account, hand over or delete what you own:</p>
          <ul aria-label="What you own">
            {obstacles.map(({ id, kind, link }) => (
              <li key={id}>
                {link} <span className="soft">({kind})</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Confirm({ deletion: { days }, onDone, onClose }: DeletionProps & { onClose: () => void }) {
  const { run, isBusy, problem } = useAction(DeleteAccountDocument, { isQuiet: true });
  const [password, setPassword] = useState('');
  const remove = async () => {
    const data = await run({ input: { password } });
    if (!data) return;
    closeFirst(onClose);
    if (data.deleteAccount.user === null) tellSignedOut();
    else onDone();
  };
  return (
    <OpenDialog title="Delete your account?" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={password !== ''}
        onSubmit={() => void remove()}
        buttons={(isOff) => <DialogButtons isOff={isOff || password === ''} doIt="Delete my account" isBad />}
      >
        <p>
          {days === 0
            ? "This happens at once, and can't be undone."
            : `You can keep it for ${daysText(days)}. After that, this can't be undone.`}
        </p>
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={password}
          fault={problem?.fields.password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </Form>
    </OpenDialog>
  );
}
