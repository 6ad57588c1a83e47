import { useEffect, useRef, useState } from 'react';
import { RemoveTeamMemberDocument, UpdateTeamMemberDocument } from '../../gql/teams/members.js';
import type { TeamMemberRowFragment, UpdateTeamMemberInput } from '../../gql/types.js';
import { useMyId } from '../../me.js';
import { Danger, useAction } from '../../ui/action.js';
import type { useOff } from '../../ui/guarded.js';
import { Name } from '../../ui/page.js';
import { say } from '../../ui/toasts.js';
import { nameOf, PersonLine } from './person.js';
import { RoleOptions, roleCalled } from './role-field.js';
import { ROLE_WORDS } from './role-words.js';
import { useTeam } from './team.js';

interface MemberProps {
  member: TeamMemberRowFragment;
}

type Role = UpdateTeamMemberInput['role'];

export function MemberRow({ member, off }: MemberProps & Pick<ReturnType<typeof useOff>, 'off'>) {
  const { user, role } = member;
  const myId = useMyId();
  const isMe = myId === user.id;
  // Before the user's id is loaded, demoting themselves would not ask for confirmation.
  const offYet = myId === undefined ? { disabled: true } : off;
  return (
    <li>
      <PersonLine person={user}>{isMe ? 'you' : null}</PersonLine>
      {role === 'OWNER' ? (
        <p className="soft">owner</p>
      ) : (
        <div className="actions">
          <RoleSelect member={member} isMe={isMe} off={offYet} />
          {!isMe && <RemoveButton member={member} off={offYet} />}
        </div>
      )}
    </li>
  );
}

interface OffProps extends MemberProps {
  off: object;
}

/** A button applies the role, because arrow keys change a select at every press. */
function RoleSelect({ member: { user, role }, isMe, off }: OffProps & { isMe: boolean }) {
  const { id } = useTeam();
  const { run, isOff } = useAction(UpdateTeamMemberDocument);
  const select = useRef<HTMLSelectElement>(null);
  const [chosen, choose] = useState<Role | null>(null);
  const [isAsked, ask] = useState(false);
  const expected = useToldRole(nameOf(user), role);
  const wanted = chosen ?? role;
  const give = async () => {
    ask(false);
    expected.current = wanted;
    if (!(await run({ input: { teamId: id, userId: user.id, role: wanted } }))) expected.current = role;
    select.current?.focus();
    choose(null);
  };
  return (
    <>
      <select
        ref={select}
        aria-label={`Role of ${nameOf(user)}`}
        value={wanted}
        onChange={({ target }) => choose(roleCalled(target.value, role))}
        {...off}
      >
        <RoleOptions />
      </select>
      {wanted !== role && (
        <button
          type="button"
          disabled={isOff}
          aria-label={`Change ${nameOf(user)} to ${ROLE_WORDS[wanted]}`}
          onClick={() => (isMe ? ask(true) : void give())}
        >
          Change
        </button>
      )}
      {isAsked && <DemoteQuestion role={wanted} onDo={give} onClose={() => ask(false)} />}
    </>
  );
}

/** Announces role changes by others. @returns ref to set before the user's own change */
function useToldRole(name: string, role: Role) {
  const expected = useRef(role);
  useEffect(() => {
    if (expected.current !== role) say(`${name} is now ${ROLE_WORDS[role]}`);
    expected.current = role;
  }, [name, role]);
  return expected;
}

function DemoteQuestion({ role, onDo, onClose }: { role: Role; onDo: () => void; onClose: () => void }) {
  return (
    <Danger
      title={`Change your role to ${ROLE_WORDS[role]}?`}
      doIt="Change my role"
      onDo={onDo}
      onClose={onClose}
      isBusy={false}
      problem={null}
    >
      <p>You will no longer be able to manage members. Only the owner or an admin can restore your role.</p>
    </Danger>
  );
}

function RemoveButton({ member, off }: OffProps) {
  const [isAsked, ask] = useState(false);
  const name = nameOf(member.user);
  return (
    <>
      <button type="button" className="plain" aria-label={`Remove ${name}`} onClick={() => ask(true)} {...off}>
        Remove
      </button>
      {isAsked && <RemoveQuestion member={member} onClose={() => ask(false)} />}
    </>
  );
}

function RemoveQuestion({ member: { user }, onClose }: MemberProps & { onClose: () => void }) {
  const { id, name } = useTeam();
  const { run, isBusy, problem } = useAction(RemoveTeamMemberDocument, { isQuiet: true });
  const remove = async () => {
    if (await run({ input: { teamId: id, userId: user.id } })) say(`${nameOf(user)} was removed from the team`);
  };
  return (
    <Danger
      title={`Remove ${nameOf(user)} from ${name}?`}
      doIt="Remove member"
      onDo={remove}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <p>
        <Name>{nameOf(user)}</Name> immediately loses access to the team and its applications. Secrets that they know
        stay valid until you reset them.
      </p>
    </Danger>
  );
}
