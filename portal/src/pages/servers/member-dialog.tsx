import { type ReactNode, useState } from 'react';
import {
  BanMemberDocument,
  KickMemberDocument,
  SetMemberRolesDocument,
  UpdateMemberDocument,
} from '../../gql/servers/members.js';
import type { MemberRowFragment } from '../../gql/types.js';
import { Danger, useAction } from '../../ui/action.js';
import { OpenDialog } from '../../ui/dialog.js';
import { Select, TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { useLack, useSelf, useServer } from './server.js';

interface MemberDialogProps {
  member: MemberRowFragment;
  onClose: () => void;
  /** Once something was changed. */
  onDone: () => void;
}

/** What can be done with a member: nickname, roles, time-out, kick and ban. */
export function MemberDialog({ member, onClose, onDone }: MemberDialogProps) {
  const { id: selfId } = useSelf();
  const isSelf = member.user.id === selfId;
  return (
    <OpenDialog title={member.user.username} onClose={onClose}>
      <Nickname member={member} isSelf={isSelf} onDone={onDone} />
      <MemberRoles member={member} onDone={onDone} />
      {!isSelf && <TimeOut member={member} onDone={onDone} />}
      {!isSelf && <Removal member={member} onDone={onDone} />}
      <div className="actions">
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </div>
    </OpenDialog>
  );
}

type PartProps = Pick<MemberDialogProps, 'member' | 'onDone'>;

function Nickname({ member, isSelf, onDone }: PartProps & { isSelf: boolean }) {
  const { id: guildId } = useServer();
  const [nick, setNick] = useState(member.nick ?? '');
  const { run, isBusy, problem } = useAction(UpdateMemberDocument, { isQuiet: true });
  const lack = useLack(isSelf ? 'ChangeNickname' : 'ManageNicknames');
  const save = async () => {
    const done = await run({ input: { guildId, userId: member.user.id, nick: nick === '' ? null : nick } });
    if (done) onDone();
  };
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      onSubmit={save}
      buttons={(isOff) => <SaveButton isOff={isOff || !!lack} text="Save nickname" />}
    >
      <TextField
        label="Nickname"
        hint={lack ?? 'At most 32 characters; empty for none.'}
        maxLength={32}
        disabled={lack !== undefined}
        value={nick}
        fault={problem?.fields.nick}
        onChange={({ target }) => setNick(target.value)}
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

function MemberRoles({ member, onDone }: PartProps) {
  const { id: guildId, roles } = useServer();
  const [roleIds, setRoleIds] = useState(member.roles.map(({ id }) => id));
  const { run, isBusy, problem } = useAction(SetMemberRolesDocument, { isQuiet: true });
  const lack = useLack('ManageRoles');
  const save = async () => {
    if (await run({ input: { guildId, userId: member.user.id, roleIds } })) onDone();
  };
  const toggle = (id: string) =>
    setRoleIds((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]));
  const given = roles.filter(({ id }) => id !== guildId);
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      onSubmit={save}
      buttons={(isOff) => <SaveButton isOff={isOff || !!lack} text="Save roles" />}
    >
      <fieldset className="check" disabled={lack !== undefined}>
        <legend>Roles</legend>
        {lack && <p className="soft small">{lack}</p>}
        {given.length === 0 && <p className="soft small">There are none but @everyone.</p>}
        {given.map(({ id, name, managed }) => (
          <label key={id}>
            <input type="checkbox" checked={roleIds.includes(id)} disabled={managed} onChange={() => toggle(id)} />
            {name}
          </label>
        ))}
      </fieldset>
    </Form>
  );
}

const TIMES = [
  ['0', 'not timed out'],
  ['60', '1 minute'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '1 week'],
  ['2419200', '4 weeks'],
] as const;

function TimeOut({ member, onDone }: PartProps) {
  const { id: guildId } = useServer();
  const [seconds, setSeconds] = useState('3600');
  const { run, isBusy, problem } = useAction(UpdateMemberDocument, { isQuiet: true });
  const lack = useLack('ModerateMembers');
  const save = async () => {
    const until = seconds === '0' ? null : new Date(Date.now() + Number(seconds) * 1_000 - 1_000).toISOString();
    if (await run({ input: { guildId, userId: member.user.id, communicationDisabledUntil: until } })) onDone();
  };
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      onSubmit={save}
      buttons={(isOff) => <SaveButton isOff={isOff || !!lack} text="Time out" />}
    >
      <Select
        label="May only look on for"
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

function Removal({ member, onDone }: PartProps) {
  const { id: guildId } = useServer();
  const [asked, ask] = useState<'kick' | 'ban' | null>(null);
  const lacks = { kick: useLack('KickMembers'), ban: useLack('BanMembers') };
  const kick = useAction(KickMemberDocument, { isQuiet: true });
  const ban = useAction(BanMemberDocument, { isQuiet: true });
  const doing = asked === 'ban' ? ban : kick;
  const remove = async () => {
    if (await doing.run({ input: { guildId, userId: member.user.id } })) onDone();
  };
  const { username } = member.user;
  return (
    <div className="actions">
      <button
        type="button"
        className="bad small"
        disabled={!!lacks.kick}
        title={lacks.kick}
        onClick={() => ask('kick')}
      >
        Kick
      </button>
      <button type="button" className="bad small" disabled={!!lacks.ban} title={lacks.ban} onClick={() => ask('ban')}>
        Ban
      </button>
      {(lacks.kick ?? lacks.ban) && <p className="soft small">{lacks.kick ?? lacks.ban}</p>}
      {asked && (
        <Danger
          title={asked === 'kick' ? `Kick ${username}?` : `Ban ${username}?`}
          doIt={asked === 'kick' ? 'Kick' : 'Ban'}
          onDo={remove}
          onClose={() => ask(null)}
          isBusy={doing.isBusy}
          problem={doing.problem}
        >
          <p>
            {asked === 'kick' ? 'They can come back by an invite.' : 'They cannot come back until the ban is lifted.'}
          </p>
        </Danger>
      )}
    </div>
  );
}
