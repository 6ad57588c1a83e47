import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { DeleteChannelDocument, SetChannelPositionsDocument } from '../../../gql/servers/channels/channel-settings.js';
import type { ChannelSettingsFragment } from '../../../gql/types.js';
import { Danger, useAction } from '../../../ui/action.js';
import { GuardedButton } from '../../../ui/guarded.js';
import { Name } from '../../../ui/page.js';
import { say } from '../../../ui/toasts.js';
import { ChannelType, isMessageChannel } from '../channels-of.js';
import { lacks } from '../permissions.js';
import { useLack, useServer } from '../server.js';

interface ChannelHeadProps {
  channel: ChannelSettingsFragment;
  channels: readonly ChannelSettingsFragment[];
}

export function ChannelHead({ channel, channels }: ChannelHeadProps) {
  const { id: guildId } = useServer();
  return (
    <section className="card" aria-label="Channel">
      <h2>
        Settings for <Name>{channel.name}</Name>
      </h2>
      {isMessageChannel(channel) && (
        <p className="small">
          <Link to="/servers/$guildId/channels/$channelId" params={{ guildId, channelId: channel.id }}>
            Open channel
          </Link>
        </p>
      )}
      <div className="actions">
        <Order channel={channel} channels={channels} />
        <DeleteChannel channel={channel} />
      </div>
    </section>
  );
}

/** Moves a channel within its category, or a category among the categories. */
function Order({ channel, channels }: ChannelHeadProps) {
  const { id: guildId } = useServer();
  const lack = useLack('ManageChannels');
  const { run, isOff } = useAction(SetChannelPositionsDocument);
  const like = channels.filter((one) => isLike(one, channel));
  const at = like.findIndex(({ id }) => id === channel.id);
  const move = (to: number) => {
    const order = like
      .map(({ id }) => id)
      .toSpliced(at, 1)
      .toSpliced(to, 0, channel.id);
    void run({ input: { guildId, positions: order.map((channelId, position) => ({ channelId, position })) } });
  };
  return (
    <>
      <button
        type="button"
        className="plain"
        disabled={!!lack || isOff || at === 0}
        title={lack}
        onClick={() => move(at - 1)}
      >
        Move up
      </button>
      <button
        type="button"
        className="plain"
        disabled={!!lack || isOff || at === like.length - 1}
        title={lack}
        onClick={() => move(at + 1)}
      >
        Move down
      </button>
    </>
  );
}

/** Whether both are categories, or channels of the same category. */
function isLike(one: ChannelSettingsFragment, other: ChannelSettingsFragment): boolean {
  const isCategory = ({ type }: ChannelSettingsFragment) => type === ChannelType.category;
  return isCategory(one) === isCategory(other) && (isCategory(one) || one.parent?.id === other.parent?.id);
}

function DeleteChannel({
  channel: { id: channelId, name, type, viewerPermissions },
}: Pick<ChannelHeadProps, 'channel'>) {
  const { id: guildId } = useServer();
  const navigate = useNavigate();
  const [isAsking, ask] = useState(false);
  const { run, isBusy, problem } = useAction(DeleteChannelDocument, { isQuiet: true });
  const isCategory = type === ChannelType.category;
  const what = isCategory ? 'category' : 'channel';
  const remove = async () => {
    if (!(await run({ input: { channelId } }))) return;
    say(`${name} was deleted.`);
    void navigate({ to: '/servers/$guildId/channels', params: { guildId }, ignoreBlocker: true });
  };
  return (
    <>
      <GuardedButton
        className="plain bad"
        reason={lacks(viewerPermissions, 'ManageChannels')}
        onClick={() => ask(true)}
      >
        Delete {what}
      </GuardedButton>
      {isAsking && (
        <Danger
          title={`Delete ${name}?`}
          doIt={`Delete ${what}`}
          onDo={remove}
          onClose={() => ask(false)}
          isBusy={isBusy}
          problem={problem}
        >
          <p>
            {isCategory
              ? 'The channels in this category are kept, without a category. This cannot be undone.'
              : 'This permanently deletes its messages, invites and command permissions. Its webhooks are kept, but cannot post until they are moved to another channel.'}
          </p>
        </Danger>
      )}
    </>
  );
}
