import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { InvitePreviewDocument, JoinGuildDocument } from '../../gql/servers/list.js';
import type { InvitePreviewQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { useAction } from '../../ui/action.js';
import { closeFirst, OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';

export function JoinServer({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const code = codeIn(text);
  const { data } = useQuery({ query: InvitePreviewDocument, variables: { code }, pause: code.length < 4 });
  const { run, isBusy, problem } = useAction(JoinGuildDocument, { isQuiet: true });
  const join = async () => {
    const joined = await run({ input: { code } });
    if (!joined) return;
    closeFirst(onClose);
    void navigate({ to: '/servers/$guildId/general', params: { guildId: joined.joinGuild.guild.id } });
  };
  const isUnknown = problem?.code === 'NOT_FOUND';
  const fault = isUnknown ? NO_INVITE : (problem?.fields.code ?? problem?.message ?? undefined);
  // Memoized, because the form moves the focus whenever it gets a new problem object.
  const atField = useMemo(() => problem && { ...problem, message: null }, [problem]);
  return (
    <OpenDialog title="Join with an invite" onClose={onClose}>
      <Form
        problem={atField}
        isBusy={isBusy}
        isChanged={text !== ''}
        onSubmit={join}
        buttons={(isOff) => <DialogButtons isOff={isOff || code === ''} doIt="Join" />}
      >
        <TextField
          label="Invite"
          hint="Paste an invite link or its code."
          autoComplete="off"
          value={text}
          fault={fault}
          onChange={({ target }) => setText(target.value)}
        />
        {data?.invite?.code === code && <Preview invite={data.invite} />}
      </Form>
    </OpenDialog>
  );
}

const NO_INVITE = "This invite doesn't exist or is no longer valid. Ask for a new one.";

function codeIn(text: string): string {
  return (
    text
      .trim()
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}

function Preview({ invite }: { invite: NonNullable<InvitePreviewQuery['invite']> }) {
  const { guildName, guildIconUrl, guildDescription, memberCount, inviter } = invite;
  return (
    <div className="hint invite-preview">
      <Picture url={guildIconUrl} name={guildName} />
      <div>
        <Name>{guildName}</Name>
        <p className="soft small">
          {memberCount === 1 ? '1 member' : `${memberCount} members`}, invited by {inviter.username}
        </p>
        {guildDescription && <p className="small">{guildDescription}</p>}
      </div>
    </div>
  );
}
