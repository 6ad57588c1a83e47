import { dataUri, PIXEL } from '../../../harness/images.js';
import { byBot, byPerson, moderator, type Operations, ruler, type Scene } from '../acting.js';

const MOST = 10;

function settingsOf({ picture, random }: Scene): object {
  const all = [
    { name: `Harbour ${random.below(1_000)}` },
    { description: random.chance(0.3) ? null : `described ${random.below(1_000)}` },
    { afk_channel_id: random.chance(0.3) ? null : random.orNull(picture.voices) },
    { afk_timeout: random.of([60, 300, 900]) },
    { system_channel_id: random.chance(0.3) ? null : random.orNull(picture.texts) },
    { system_channel_flags: random.below(8) },
    { verification_level: random.below(4) },
    { default_message_notifications: random.below(2) },
    { explicit_content_filter: random.below(3) },
    { preferred_locale: random.of(['en-US', 'de', 'fr']) },
  ];
  return Object.assign({}, ...random.some(all, 0.3), random.of(all));
}

export const guildOperations: Operations = {
  // Rare, because an update of the guild has all roles and emojis and repairs wrong caches.
  'change the guild': {
    weight: 10,
    plan(scene) {
      const { cast, random } = scene;
      if (random.chance(0.6)) return byBot(moderator(scene), 'PATCH', `/guilds/${cast.guild.id}`, settingsOf(scene));
      const input = { guildId: cast.guild.id, name: `Harbour ${random.below(1_000)}` };
      return byPerson(ruler(scene), 'updateGuild', 'UpdateGuildInput', input);
    },
  },
  'create an emoji': {
    weight: 14,
    plan(scene) {
      const { cast, picture, random } = scene;
      if (picture.emojis.length >= MOST) return null;
      const name = `made_${random.below(1_000)}`;
      return byBot(moderator(scene), 'POST', `/guilds/${cast.guild.id}/emojis`, { name, image: dataUri(PIXEL) });
    },
  },
  'edit an emoji': {
    weight: 12,
    plan(scene) {
      const { cast, picture, random } = scene;
      const emoji = random.orNull(picture.emojis);
      if (!emoji) return null;
      const name = `renamed_${random.below(1_000)}`;
      const roles = random.some(
        picture.roles.map(({ id }) => id),
        0.2,
      );
      if (random.chance(0.5)) {
        return byBot(moderator(scene), 'PATCH', `/guilds/${cast.guild.id}/emojis/${emoji.id}`, { name, roles });
      }
      const input = { guildId: cast.guild.id, emojiId: emoji.id, name, roleIds: roles };
      return byPerson(ruler(scene), 'updateEmoji', 'UpdateEmojiInput', input);
    },
  },
  'delete an emoji': {
    weight: 6,
    plan(scene) {
      const { cast, picture, random } = scene;
      const emoji = random.orNull(picture.emojis);
      if (!emoji) return null;
      if (random.chance(0.5)) {
        return byBot(moderator(scene), 'DELETE', `/guilds/${cast.guild.id}/emojis/${emoji.id}`);
      }
      const input = { guildId: cast.guild.id, emojiId: emoji.id };
      return byPerson(ruler(scene), 'deleteEmoji', 'EmojiIdInput', input);
    },
  },
  'create an invite': {
    weight: 25,
    plan(scene) {
      const { picture, random } = scene;
      const channelId = random.orNull([...picture.texts, ...picture.voices]);
      if (channelId === null) return null;
      const maxUses = random.of([0, 1, 2]);
      if (random.chance(0.5)) {
        const body = { max_uses: maxUses, max_age: 0, unique: random.chance(0.5) };
        return byBot(moderator(scene), 'POST', `/channels/${channelId}/invites`, body);
      }
      return byPerson(ruler(scene), 'createInvite', 'ChannelIdInput', { channelId }, { maxUses: ['Int', maxUses] });
    },
  },
  'take an invite back': {
    weight: 7,
    plan(scene) {
      const { picture, random } = scene;
      if (picture.invites.length < 4) return null;
      const code = random.of(picture.invites);
      if (random.chance(0.5)) return byBot(moderator(scene), 'DELETE', `/invites/${code}`);
      return byPerson(ruler(scene), 'deleteInvite', 'InviteCodeInput', { code });
    },
  },
};
