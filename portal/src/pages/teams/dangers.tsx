import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { endHere } from '../../ended.js';
import { DeleteTeamDocument, HandOverTeamDocument, LeaveTeamDocument } from '../../gql/teams/general.js';
import { useMyId } from '../../me.js';
import { Danger, useAction } from '../../ui/action.js';
import { Select } from '../../ui/field.js';
import { useOff } from '../../ui/guarded.js';
import { Name } from '../../ui/page.js';
import { say } from '../../ui/toasts.js';
import { nameOf } from './person.js';
import { whyNotTeam } from './rights.js';
import { useTeam } from './team.js';

export function TeamDangers() {
  return (
    <section className="card dangers">
      <h2>Danger zone</h2>
      <Leave />
      <HandOver />
      <Delete />
    </section>
  );
}

function Leave() {
  const { viewerOperations, owner } = useTeam();
  const isOwner = owner.id === useMyId();
  const { off, note } = useOff(
    isOwner
      ? 'You own this team. To leave, transfer ownership first, or delete the team.'
      : whyNotTeam(viewerOperations, 'LEAVE'),
  );
  const [isAsked, ask] = useState(false);
  return (
    <div className="danger-row">
      <div>
        <h3>Leave team</h3>
        <p>You lose access to the team and its applications.</p>
        {note}
      </div>
      <button type="button" className="plain bad" onClick={() => ask(true)} {...off}>
        Leave team
      </button>
      {isAsked && <LeaveQuestion onClose={() => ask(false)} />}
    </div>
  );
}

function LeaveQuestion({ onClose }: { onClose: () => void }) {
  const { id, name } = useTeam();
  const myId = useMyId();
  const { run, isBusy, problem } = useAction(LeaveTeamDocument, { isQuiet: true });
  const leave = useGoAway(async () => {
    if (!myId || !(await endHere(id, () => run({ input: { teamId: id, userId: myId } })))) return null;
    return 'You left the team';
  });
  return (
    <Danger title={`Leave ${name}?`} doIt="Leave team" onDo={leave} onClose={onClose} isBusy={isBusy} problem={problem}>
      <p>You lose access to the team and its applications. To rejoin, you need a new invitation.</p>
    </Danger>
  );
}

function HandOver() {
  const { members, owner, viewerOperations } = useTeam();
  const others = members.map(({ user }) => user).filter(({ id }) => id !== owner.id);
  const [chosen, choose] = useState('');
  const heir = others.find(({ id }) => id === chosen);
  const [isAsked, ask] = useState(false);
  const reason =
    whyNotTeam(viewerOperations, 'TRANSFER_OWNERSHIP') ??
    (others.length === 0 ? 'The team has no other members. Invite one first.' : undefined);
  const { off, note } = useOff(reason);
  return (
    <div className="danger-row">
      <div>
        <h3>Transfer ownership</h3>
        <p>Another member becomes the owner. You become an admin.</p>
        {note}
        {reason === undefined && (
          <Select label="New owner" value={heir?.id ?? ''} onChange={({ target }) => choose(target.value)}>
            <option value="">Choose a member</option>
            {others.map((person) => (
              <option key={person.id} value={person.id}>
                {nameOf(person)}
              </option>
            ))}
          </Select>
        )}
      </div>
      <button type="button" className="plain bad" onClick={() => ask(true)} disabled={!heir} {...off}>
        Hand over
      </button>
      {isAsked && heir && <HandOverQuestion heir={heir} onClose={() => ask(false)} />}
    </div>
  );
}

function HandOverQuestion({
  heir,
  onClose,
}: {
  heir: Parameters<typeof nameOf>[0] & { id: string };
  onClose: () => void;
}) {
  const { id, name } = useTeam();
  const { run, isBusy, problem } = useAction(HandOverTeamDocument, { isQuiet: true });
  const handOver = async () => {
    if (!(await run({ input: { teamId: id, userId: heir.id } }))) return;
    say(`${nameOf(heir)} now owns the team`);
    onClose();
  };
  return (
    <Danger
      title={`Transfer ${name} to ${nameOf(heir)}?`}
      doIt="Hand over"
      onDo={handOver}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      typed={{ name: nameOf(heir), label: "Type the member's name" }}
    >
      <p>
        <Name>{nameOf(heir)}</Name> will be able to delete the team and its applications, and to remove you. You become
        an admin. Only the new owner can transfer the team back.
      </p>
    </Danger>
  );
}

function Delete() {
  const { applications, viewerOperations } = useTeam();
  const isEmpty = applications.length === 0;
  const reason =
    whyNotTeam(viewerOperations, 'DELETE') ??
    (isEmpty ? undefined : 'A team that owns applications cannot be deleted. Delete these applications first:');
  const { off, note } = useOff(reason);
  const [isAsked, ask] = useState(false);
  return (
    <div className="danger-row">
      <div>
        <h3>Delete team</h3>
        <p>Permanently delete this team with its memberships and invitations.</p>
        {note}
        {viewerOperations.includes('DELETE') && <OwnedLinks />}
      </div>
      <button type="button" className="plain bad" onClick={() => ask(true)} {...off}>
        Delete team
      </button>
      {isAsked && <DeleteQuestion onClose={() => ask(false)} />}
    </div>
  );
}

function DeleteQuestion({ onClose }: { onClose: () => void }) {
  const { id, name } = useTeam();
  const { run, isBusy, problem } = useAction(DeleteTeamDocument, { isQuiet: true });
  const remove = useGoAway(async () =>
    (await endHere(id, () => run({ input: { teamId: id } }))) ? 'Team deleted' : null,
  );
  return (
    <Danger
      title={`Delete ${name}?`}
      doIt="Delete team"
      onDo={remove}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      typed={{ name, label: "Type the team's name" }}
    >
      <p>Members lose access, and pending invitations can no longer be accepted. This cannot be undone.</p>
    </Danger>
  );
}

function OwnedLinks() {
  const { applications } = useTeam();
  if (applications.length === 0) return null;
  return (
    <ul className="small">
      {applications.map(({ id, name }) => (
        <li key={id}>
          <Link to="/applications/$applicationId" params={{ applicationId: id }}>
            <Name>{name}</Name>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/**
 * Opens the team list after an action that ends access to the team.
 * @param act resolves to a message, or null if refused
 */
function useGoAway(act: () => Promise<string | null>): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const said = await act();
    if (said === null) return;
    say(said);
    void navigate({ to: '/teams', ignoreBlocker: true });
  };
}
