import { useState } from 'react';
import {
  CreateInviteDocument,
  DeleteInviteDocument,
  GuildInvitesChangedDocument,
  GuildInvitesDocument,
} from '../../gql/servers/general.js';
import type { ChannelRowFragment, InviteRowFragment } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Danger, useAction } from '../../ui/action.js';
import { CopyButton } from '../../ui/copy.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { isSame } from '../../ui/draft.js';
import { Select } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { Awaited } from '../../ui/listing.js';
import { Ago } from '../../ui/times.js';
import { isMessageChannel } from './channels-of.js';
import { holds } from './permissions.js';
import { ON_ITS_BOX, useIsOnBox, useServer } from './server.js';

export function Invites() {
  if (useIsOnBox())
    return (
      <section className="card">
        <h2>Invites</h2>
        <p className="hint">{ON_ITS_BOX}</p>
      </section>
    );
  return <InvitesHere />;
}

function InvitesHere() {
  const { id, channels } = useServer();
  const [isNew, setNew] = useState(false);
  const answer = useQuery({ query: GuildInvitesDocument, variables: { id } });
  useLive(GuildInvitesChangedDocument, { id });
  const open = channels.filter(isMessageChannel).filter((one) => holds(one.viewerPermissions, 'CreateInstantInvite'));
  const invites = answer.data?.guild?.invites;
  return (
    <section className="card">
      <div className="heading">
        <h2>Invites</h2>
        <button type="button" disabled={open.length === 0} onClick={() => setNew(true)}>
          New invite
        </button>
      </div>
      {open.length === 0 && <p className="hint">You need the “Create invites” permission in a channel.</p>}
      {!invites && <Awaited answer={answer} />}
      {invites?.length === 0 && open.length > 0 && (
        <p className="hint">No invites yet. Create an invite link to let people join.</p>
      )}
      {invites && invites.length > 0 && (
        <ul className="server-rows">
          {invites.map((invite) => (
            <InviteRow key={invite.code} invite={invite} />
          ))}
        </ul>
      )}
      {isNew && <NewInvite channels={open} onClose={() => setNew(false)} />}
    </section>
  );
}

function InviteRow({ invite }: { invite: InviteRowFragment }) {
  const [isAsking, ask] = useState(false);
  const { run, isBusy, problem } = useAction(DeleteInviteDocument, { isQuiet: true });
  const takeBack = async () => {
    if (await run({ input: { code: invite.code } })) ask(false);
  };
  return (
    <li>
      <div>
        <code>{invite.url}</code>
        <p className="soft small">{describe(invite)}</p>
      </div>
      <div className="row-actions">
        <CopyButton text={invite.url} what={`invite link ${invite.code}`} />
        <button type="button" className="plain small" aria-label={`Revoke ${invite.code}`} onClick={() => ask(true)}>
          Revoke
        </button>
      </div>
      {isAsking && (
        <Danger
          title="Revoke this invite?"
          doIt="Revoke invite"
          onDo={takeBack}
          onClose={() => ask(false)}
          isBusy={isBusy}
          problem={problem}
        >
          <p>The link stops working. Members who joined with it stay. This can't be undone.</p>
        </Danger>
      )}
    </li>
  );
}

function describe({ channel, inviter, uses, maxUses, createdAt, expiresAt }: InviteRowFragment) {
  return (
    <>
      {channel && `#${channel.name}, `}by {inviter.username}, created <Ago at={createdAt} />,{' '}
      {maxUses > 0 ? `used ${uses} of ${maxUses} times` : uses === 1 ? 'used once' : `used ${uses} times`},{' '}
      {expiresAt ? (
        <>
          expires <Ago at={expiresAt} />
        </>
      ) : (
        'never expires'
      )}
    </>
  );
}

const AGES = [
  ['1800', '30 minutes'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '1 week'],
  ['0', 'Never'],
] as const;

const USES = [0, 1, 5, 10, 25, 50, 100] as const;

interface NewInviteProps {
  channels: readonly ChannelRowFragment[];
  onClose: () => void;
}

function NewInvite({ channels, onClose }: NewInviteProps) {
  const [initial] = useState({ channelId: channels[0]?.id ?? '', maxAge: '86400', maxUses: '0' });
  const [input, setInput] = useState(initial);
  const { run, isBusy, problem } = useAction(CreateInviteDocument, { isQuiet: true });
  const create = async () => {
    const { channelId, maxAge, maxUses } = input;
    if (await run({ input: { channelId }, maxAge: Number(maxAge), maxUses: Number(maxUses) })) onClose();
  };
  return (
    <OpenDialog title="New invite" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={!isSame(input, initial)}
        onSubmit={create}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create invite" />}
      >
        <Select
          label="Channel"
          value={input.channelId}
          fault={problem?.fields.channelId}
          onChange={({ target }) => setInput({ ...input, channelId: target.value })}
        >
          {channels.map(({ id, name }) => (
            <option key={id} value={id}>
              #{name}
            </option>
          ))}
        </Select>
        <Select
          label="Expires after"
          value={input.maxAge}
          fault={problem?.fields.maxAge}
          onChange={({ target }) => setInput({ ...input, maxAge: target.value })}
        >
          {AGES.map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </Select>
        <Select
          label="Maximum uses"
          value={input.maxUses}
          fault={problem?.fields.maxUses}
          onChange={({ target }) => setInput({ ...input, maxUses: target.value })}
        >
          {USES.map((uses) => (
            <option key={uses} value={uses}>
              {uses === 0 ? 'No limit' : uses}
            </option>
          ))}
        </Select>
      </Form>
    </OpenDialog>
  );
}
