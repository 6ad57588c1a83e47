import { type ReactNode, useState } from 'react';
import {
  AddMemberRoleDocument,
  BanMemberDocument,
  KickMemberDocument,
  RemoveMemberRoleDocument,
  UpdateMemberDocument,
} from '../../../gql/servers/members/members.js';
import type { MemberRowFragment, RoleRowFragment } from '../../../gql/types.js';
import { Danger, useAction } from '../../../ui/action.js';
import { OpenDialog } from '../../../ui/dialog.js';
import { DialogEnd } from '../../../ui/dialog-buttons.js';
import { useDraft } from '../../../ui/draft.js';
import { Select, TextField } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { useOff } from '../../../ui/guarded.js';
import { say } from '../../../ui/toasts.js';
import { holds } from '../permissions.js';
import { useWhyNotMember } from '../roles/rights.js';
import { useSelf, useServer } from '../server.js';

interface MemberDialogProps {
  member: MemberRowFragment;
  onClose: () => void;
  /** Resolves once the new data is shown. */
  onSaved: () => Promise<unknown>;
}

/** Each section is saved separately and keeps the input of the others. */
export function MemberDialog({ member, onClose, onSaved }: MemberDialogProps) {
  const { id: selfId } = useSelf();
  const isSelf = member.user.id === selfId;
  return (
    <OpenDialog title={member.user.username} onClose={onClose}>
      <div className="member-parts">
        <Nickname member={member} onSaved={onSaved} />
        <MemberRoles member={member} onSaved={onSaved} />
        {!isSelf && <TimeOut member={member} onSaved={onSaved} />}
        {!isSelf && <Removal member={member} onClose={onClose} onSaved={onSaved} />}
      </div>
      <DialogEnd text="Close" />
    </OpenDialog>
  );
}

type PartProps = Pick<MemberDialogProps, 'member' | 'onSaved'>;

function Nickname({ member, onSaved }: PartProps) {
  const { id: guildId } = useServer();
  const { value, set, saved, isChanged } = useDraft({ nick: member.nick ?? '' });
  const { run, isBusy, problem } = useAction(UpdateMemberDocument, { isQuiet: true });
  const lack = useWhyNotMember(member)('CHANGE_NICK');
  const save = async () => {
    const { nick } = value;
    if (!(await run({ input: { guildId, userId: member.user.id, nick: nick === '' ? null : nick } }))) return;
    await onSaved();
    saved({ nick });
    say('Saved');
  };
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      isChanged={isChanged}
      onSubmit={save}
      buttons={(isOff) => <SaveButton isOff={isOff || !!lack} text="Save nickname" />}
    >
      <TextField
        label="Nickname"
        hint={lack ?? 'Up to 32 characters. Leave empty for no nickname.'}
        maxLength={32}
        disabled={lack !== undefined}
        value={value.nick}
        fault={problem?.fields.nick}
        onChange={({ target }) => set('nick', target.value)}
      />
    </Form>
  );
}

function SaveButton({ isOff, text }: { isOff: boolean; text: ReactNode }) {
  return (
    <button type="submit" className="plain small" disabled={isOff}>
      {text}
    </button>
  );
}

function MemberRoles({ member, onSaved }: PartProps) {
  const { id: guildId, roles } = useServer();
  const given = roles.filter(({ id }) => id !== guildId);
  const { value, set, isChanged, save, isBusy, problem } = useRoles(member, given, onSaved);
  const lack = useWhyNotMember(member)('CHANGE_ROLES');
  const isGivable = (role: RoleRowFragment) => role.viewerOperations.includes('ASSIGN');
  const isPartly = !lack && !given.every(isGivable);
  const { off, note } = useOff(
    isPartly ? "Greyed-out roles are managed by an application or aren't below your highest role." : undefined,
  );
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      isChanged={isChanged}
      onSubmit={save}
      buttons={(isOff) => <SaveButton isOff={isOff || !!lack} text="Save roles" />}
    >
      <fieldset className="check" disabled={lack !== undefined}>
        <legend>Roles</legend>
        {lack && <p className="soft small">{lack}</p>}
        {given.length === 0 && <p className="soft small">No roles yet. Create one on the Roles page.</p>}
        {given.map((role) => (
          <label key={role.id}>
            <input
              type="checkbox"
              checked={value[role.id] ?? false}
              {...(isGivable(role) ? {} : off)}
              onChange={({ target }) => set(role.id, target.checked)}
            />
            {role.name}
            {holds(role.permissions, 'Administrator') && <span className="badge warn">administrator</span>}
          </label>
        ))}
        {note}
      </fieldset>
    </Form>
  );
}

/** Saves only changed roles, one by one, so that concurrent changes of other roles stay. */
function useRoles(member: MemberRowFragment, given: readonly RoleRowFragment[], onSaved: MemberDialogProps['onSaved']) {
  const { id: guildId } = useServer();
  const held = new Set(member.roles.map(({ id }) => id));
  const draft = useDraft<Record<string, boolean>>(Object.fromEntries(given.map(({ id }) => [id, held.has(id)])));
  const [give, take] = [
    useAction(AddMemberRoleDocument, { isQuiet: true }),
    useAction(RemoveMemberRoleDocument, { isQuiet: true }),
  ];
  const save = async () => {
    const done: Record<string, boolean> = {};
    const wanted = Object.entries(draft.changes);
    for (const [roleId, isGiven = false] of wanted) {
      const { run } = isGiven ? give : take;
      if (!(await run({ input: { guildId, userId: member.user.id, roleId } }))) break;
      done[roleId] = isGiven;
    }
    await onSaved();
    draft.saved(done);
    if (Object.keys(done).length === wanted.length) say('Saved');
  };
  return { ...draft, save, isBusy: give.isBusy || take.isBusy, problem: give.problem ?? take.problem };
}

const TIMES = [
  ['0', 'No timeout'],
  ['60', '1 minute'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '1 week'],
  ['2419200', '4 weeks'],
] as const;

function TimeOut({ member, onSaved }: PartProps) {
  const { id: guildId } = useServer();
  const [seconds, setSeconds] = useState('3600');
  const { run, isBusy, problem } = useAction(UpdateMemberDocument, { isQuiet: true });
  const lack = useWhyNotMember(member)('TIME_OUT');
  const save = async () => {
    const until = seconds === '0' ? null : new Date(Date.now() + Number(seconds) * 1_000 - 1_000).toISOString();
    if (!(await run({ input: { guildId, userId: member.user.id, communicationDisabledUntil: until } }))) return;
    say('Saved');
    await onSaved();
  };
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      onSubmit={save}
      buttons={(isOff) => <SaveButton isOff={isOff || !!lack} text="Set timeout" />}
    >
      <Select
        label="Timeout length"
        hint={lack}
        disabled={lack !== undefined}
        value={seconds}
        onChange={({ target }) => setSeconds(target.value)}
      >
        {TIMES.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
    </Form>
  );
}

function Removal({ member, onClose, onSaved }: MemberDialogProps) {
  const { id: guildId } = useServer();
  const [asked, ask] = useState<'kick' | 'ban' | null>(null);
  const offs = useOffs(member);
  const kick = useAction(KickMemberDocument, { isQuiet: true });
  const ban = useAction(BanMemberDocument, { isQuiet: true });
  const doing = asked === 'ban' ? ban : kick;
  const remove = async () => {
    if (!(await doing.run({ input: { guildId, userId: member.user.id } }))) return;
    onClose();
    say(asked === 'ban' ? `${username} was banned.` : `${username} was kicked.`);
    await onSaved();
  };
  const { username } = member.user;
  return (
    <div className="actions">
      <button
        type="button"
        className="bad small"
        aria-label={`Kick ${username}`}
        {...offs.kick}
        onClick={() => ask('kick')}
      >
        Kick
      </button>
      <button
        type="button"
        className="bad small"
        aria-label={`Ban ${username}`}
        {...offs.ban}
        onClick={() => ask('ban')}
      >
        Ban
      </button>
      {offs.notes}
      {asked && (
        <Danger
          title={asked === 'kick' ? `Kick ${username}?` : `Ban ${username}?`}
          doIt={asked === 'kick' ? 'Kick' : 'Ban'}
          onDo={remove}
          onClose={() => ask(null)}
          isBusy={doing.isBusy}
          problem={doing.problem}
        >
          <p>{asked === 'kick' ? 'They can rejoin with an invite.' : "They can't rejoin until you unban them."}</p>
        </Danger>
      )}
    </div>
  );
}

/** A shared reason is shown once. */
function useOffs(member: MemberRowFragment) {
  const whyNot = useWhyNotMember(member);
  const [reasonOfKick, reasonOfBan] = [whyNot('KICK'), whyNot('BAN')];
  const [kick, ban] = [useOff(reasonOfKick), useOff(reasonOfBan)];
  if (reasonOfKick === reasonOfBan) return { kick: kick.off, ban: kick.off, notes: kick.note };
  return {
    kick: kick.off,
    ban: ban.off,
    notes: (
      <>
        {kick.note}
        {ban.note}
      </>
    ),
  };
}
