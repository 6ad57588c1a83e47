import { ChannelType, OverwriteType } from 'discord-api-types/v10';
import { Permission } from '../../../../src/domain/permissions.js';
import { byBot, byPerson, moderator, type Operations, ruler, type Scene } from '../acting.js';

const MOST = 16;

const SPOKEN_OF = [
  Permission.ViewChannel,
  Permission.ViewChannel,
  Permission.SendMessages,
  Permission.ManageMessages,
  Permission.ManageChannels,
  Permission.Connect,
  Permission.AddReactions,
];

/** Channels that may be changed, including their overwrites. */
const ofAll = ({ cast, picture }: Scene) =>
  picture.channels.filter(({ id }) => id !== cast.steadyId && id !== cast.secretId);

const nullOr = (random: Scene['random'], values: string[]) => (random.chance(0.3) ? null : random.orNull(values));

function overwriteIn({ cast, picture, random }: Scene) {
  const bits = random.of(SPOKEN_OF);
  const says = random.chance(0.5) ? { allow: String(bits), deny: '0' } : { allow: '0', deny: String(bits) };
  const role = random.of([cast.guild.id, ...picture.roles.map(({ id }) => id)]);
  if (random.chance(0.6)) return { id: role, type: OverwriteType.Role, ...says };
  return { id: random.of([cast.watcher.rest.id, ...picture.members]), type: OverwriteType.Member, ...says };
}

function settingsOf(type: number, { picture, random }: Scene): object {
  const all = [
    { name: `channel-${random.below(1_000)}` },
    { position: random.below(12) },
    { nsfw: random.chance(0.5) },
    ...(type === ChannelType.GuildCategory ? [] : [{ parent_id: nullOr(random, picture.categories) }]),
    ...(type === ChannelType.GuildVoice
      ? [{ bitrate: 8_000 + random.below(80_000) }, { user_limit: random.below(20) }]
      : []),
    ...(type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement
      ? [{ topic: random.chance(0.2) ? null : `topic ${random.below(1_000)}` }]
      : []),
    // Rare, since slow mode delays posts. The values differ visibly.
    ...(type === ChannelType.GuildText && random.chance(0.1) ? [{ rate_limit_per_user: random.below(2) }] : []),
  ];
  return Object.assign({}, ...random.some(all), random.of(all));
}

export const channelOperations: Operations = {
  'create a channel': {
    weight: 22,
    plan(scene) {
      const { cast, picture, random } = scene;
      if (picture.channels.length >= MOST) return null;
      const { GuildText, GuildVoice, GuildCategory, GuildAnnouncement } = ChannelType;
      const type = random.of([GuildText, GuildText, GuildVoice, GuildCategory, GuildAnnouncement]);
      const name = `made-${random.below(1_000)}`;
      if (random.chance(0.4)) {
        const parentId = type === GuildCategory ? null : nullOr(random, picture.categories);
        const input = { guildId: cast.guild.id, name, type, parentId };
        return byPerson(ruler(scene), 'createChannel', 'CreateChannelInput', input);
      }
      const overwrites = random.chance(0.4) ? { permission_overwrites: [overwriteIn(scene)] } : {};
      return byBot(moderator(scene), 'POST', `/guilds/${cast.guild.id}/channels`, {
        ...settingsOf(type, scene),
        ...overwrites,
        name,
        type,
      });
    },
  },
  'edit a channel': {
    weight: 60,
    plan(scene) {
      const { picture, random } = scene;
      const channel = random.of(picture.channels);
      if (random.chance(0.3)) {
        const input = { channelId: channel.id, name: `renamed-${random.below(1_000)}` };
        return byPerson(ruler(scene), 'updateChannel', 'UpdateChannelInput', input);
      }
      return byBot(moderator(scene), 'PATCH', `/channels/${channel.id}`, settingsOf(channel.type, scene));
    },
  },
  'make a text channel one for announcements, or the other way round': {
    weight: 8,
    plan(scene) {
      const { cast, picture, random } = scene;
      const id = random.orNull(picture.texts.filter((text) => text !== cast.steadyId));
      if (id === null) return null;
      const type = random.of([ChannelType.GuildText, ChannelType.GuildAnnouncement]);
      return byBot(moderator(scene), 'PATCH', `/channels/${id}`, { type });
    },
  },
  'replace the overwrites of a channel': {
    weight: 15,
    plan(scene) {
      const channel = scene.random.orNull(ofAll(scene));
      if (!channel) return null;
      const given = [overwriteIn(scene), overwriteIn(scene), overwriteIn(scene)];
      return byBot(moderator(scene), 'PATCH', `/channels/${channel.id}`, {
        permission_overwrites: scene.random.some(given),
      });
    },
  },
  'say what a role or a member may do in a channel': {
    weight: 40,
    plan(scene) {
      const { random } = scene;
      const channel = random.orNull(ofAll(scene));
      if (!channel) return null;
      const { id, ...says } = overwriteIn(scene);
      if (random.chance(0.6)) {
        return byBot(moderator(scene), 'PUT', `/channels/${channel.id}/permissions/${id}`, says);
      }
      const { type, ...bits } = says;
      const target = { targetId: id, targetType: type === OverwriteType.Role ? 'ROLE' : 'MEMBER' };
      const input = { channelId: channel.id, ...target, ...bits };
      return byPerson(ruler(scene), 'setChannelOverwrite', 'SetChannelOverwriteInput', input);
    },
  },
  'take back what is said of one in a channel': {
    weight: 18,
    plan(scene) {
      const { random } = scene;
      const channel = random.orNull(ofAll(scene).filter(({ targets }) => targets.length > 0));
      if (!channel) return null;
      const id = random.of(channel.targets);
      if (random.chance(0.6)) return byBot(moderator(scene), 'DELETE', `/channels/${channel.id}/permissions/${id}`);
      const input = { channelId: channel.id, targetId: id };
      return byPerson(ruler(scene), 'deleteChannelOverwrite', 'DeleteChannelOverwriteInput', input);
    },
  },
  'sort the channels': {
    weight: 15,
    plan(scene) {
      const { cast, picture, random } = scene;
      const sorted = random.shuffled(picture.channels).slice(0, 5);
      if (random.chance(0.4)) {
        const positions = sorted.map(({ id }, position) => ({ channelId: id, position }));
        const input = { guildId: cast.guild.id, positions };
        return byPerson(ruler(scene), 'setChannelPositions', 'SetChannelPositionsInput', input);
      }
      const moved = random.orNull(ofAll(scene).filter(({ type }) => type !== ChannelType.GuildCategory));
      const place = moved && {
        id: moved.id,
        parent_id: nullOr(random, picture.categories),
        lock_permissions: random.chance(0.4),
      };
      return byBot(moderator(scene), 'PATCH', `/guilds/${cast.guild.id}/channels`, [
        ...sorted.map(({ id }, position) => ({ id, position })),
        ...(place ? [place] : []),
      ]);
    },
  },
  'delete a channel': {
    weight: 12,
    plan(scene) {
      const { random } = scene;
      // One voice channel stays, so that voice operations have a target.
      const there = ofAll(scene).filter(({ id }) => id !== scene.cast.guild.voiceChannelId);
      if (there.length < 6) return null;
      const { id } = random.of(there);
      if (random.chance(0.5)) return byBot(moderator(scene), 'DELETE', `/channels/${id}`);
      return byPerson(ruler(scene), 'deleteChannel', 'ChannelIdInput', { channelId: id });
    },
  },
};
