import { useParams } from '@tanstack/react-router';
import {
  ChannelSettingsChangedDocument,
  ChannelSettingsDocument,
} from '../../../gql/servers/channels/channel-settings.js';
import type { ChannelSettingsFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { NotFound } from '../../../ui/endings.js';
import { Awaited } from '../../../ui/listing.js';
import { useTitle } from '../../../ui/page.js';
import { ChannelHead } from '../channel/channel-head.js';
import { ON_ITS_BOX, useIsOnBox, useServer } from '../server.js';
import { ChannelForm } from './channel-form.js';
import { ChannelOverwrites } from './channel-overwrites.js';

export function ChannelSettings() {
  return useIsOnBox() ? <p className="hint">{ON_ITS_BOX}</p> : <SettingsHere />;
}

function SettingsHere() {
  const { guildId, channelId } = useParams({ from: '/frame/servers/$guildId/channels/$channelId/settings' });
  const answer = useQuery({ query: ChannelSettingsDocument, variables: { guildId } });
  useLive(ChannelSettingsChangedDocument, { guildId });
  const channels = answer.data?.guild?.channels;
  const channel = channels?.find(({ id }) => id === channelId);
  useTitle(channel ? `Settings for ${channel.name}` : 'Channels', useServer().name);
  if (!channels) return <Awaited answer={answer} />;
  if (!channel) return <NotFound isPart />;
  return <OneChannel key={channelId} channel={channel} channels={channels} />;
}

interface OneChannelProps {
  channel: ChannelSettingsFragment;
  channels: readonly ChannelSettingsFragment[];
}

function OneChannel({ channel, channels }: OneChannelProps) {
  return (
    <div className="channel-settings">
      <ChannelHead channel={channel} channels={channels} />
      <ChannelForm channel={channel} channels={channels} />
      <ChannelOverwrites channel={channel} />
    </div>
  );
}
