import { byBot, byPerson, member, moderator, type Operations, ruler, type Scene } from '../acting.js';

const FEWEST = 2;

/** A member of the guild: mostly a user, sometimes the bot with limited permissions. */
function target({ cast, picture, random }: Scene): string {
  return random.chance(0.2) ? cast.watcher.rest.id : (random.orNull(picture.members) ?? cast.watcher.rest.id);
}

const free = ({ picture }: Scene) => picture.roles.filter(({ managed }) => !managed).map(({ id }) => id);

const timeoutEnd = ({ random }: Scene) => new Date(Date.now() + 3_600_000 + random.below(100_000)).toISOString();

export const memberOperations: Operations = {
  'change a nickname': {
    weight: 35,
    plan(scene) {
      const { cast, random } = scene;
      const guildId = cast.guild.id;
      const nick = random.chance(0.2) ? null : `nick ${random.below(1_000)}`;
      const path = `/guilds/${guildId}/members`;
      if (random.chance(0.2)) return byBot(cast.watcher.rest, 'PATCH', `${path}/@me`, { nick });
      const userId = target(scene);
      if (random.chance(0.5)) return byBot(moderator(scene), 'PATCH', `${path}/${userId}`, { nick });
      return byPerson(ruler(scene), 'updateMember', 'UpdateMemberInput', { guildId, userId, nick });
    },
  },
  'give a role': {
    weight: 40,
    plan(scene) {
      const { cast, random } = scene;
      const roleId = random.orNull(free(scene));
      if (roleId === null) return null;
      return byBot(moderator(scene), 'PUT', `/guilds/${cast.guild.id}/members/${target(scene)}/roles/${roleId}`);
    },
  },
  'take a role away': {
    weight: 25,
    plan(scene) {
      const { cast, random } = scene;
      const roleId = random.orNull(free(scene));
      if (roleId === null) return null;
      return byBot(moderator(scene), 'DELETE', `/guilds/${cast.guild.id}/members/${target(scene)}/roles/${roleId}`);
    },
  },
  'set the roles of a member': {
    weight: 20,
    plan(scene) {
      const { cast, picture, random } = scene;
      const userId = random.orNull(picture.members);
      if (userId === null) return null;
      const roles = random.some(free(scene), 0.3);
      const guildId = cast.guild.id;
      if (random.chance(0.5))
        return byBot(moderator(scene), 'PATCH', `/guilds/${guildId}/members/${userId}`, { roles });
      return byPerson(ruler(scene), 'setMemberRoles', 'SetMemberRolesInput', { guildId, userId, roleIds: roles });
    },
  },
  'time a member out, or end that': {
    weight: 18,
    plan(scene) {
      const { cast, random } = scene;
      const until = random.chance(0.5) ? null : timeoutEnd(scene);
      const guildId = cast.guild.id;
      const userId = target(scene);
      if (random.chance(0.5)) {
        const body = { communication_disabled_until: until };
        return byBot(moderator(scene), 'PATCH', `/guilds/${guildId}/members/${userId}`, body);
      }
      const input = { guildId, userId, communicationDisabledUntil: until };
      return byPerson(ruler(scene), 'updateMember', 'UpdateMemberInput', input);
    },
  },
  'change a name that is shown everywhere': {
    weight: 8,
    plan(scene) {
      const { cast, random } = scene;
      const globalName = `Name ${random.below(1_000)}`;
      return byPerson(random.of([cast.owner, ...cast.people]), 'updateProfile', 'UpdateProfileInput', { globalName });
    },
  },
  join: {
    weight: 35,
    plan({ cast, picture, random }) {
      const person = random.orNull(cast.people.filter(({ id }) => !picture.members.includes(id)));
      const code = random.orNull(picture.invites);
      return person && code !== null ? byPerson(person, 'joinGuild', 'JoinGuildInput', { code }) : null;
    },
  },
  leave: {
    weight: 7,
    plan(scene) {
      const person = scene.picture.members.length > FEWEST ? member(scene) : null;
      return person && byPerson(person, 'leaveGuild', 'GuildIdInput', { guildId: scene.cast.guild.id });
    },
  },
  'kick a member': {
    weight: 8,
    plan(scene) {
      const { cast, picture, random } = scene;
      if (picture.members.length <= FEWEST) return null;
      const guildId = cast.guild.id;
      const userId = random.of(picture.members);
      if (random.chance(0.5)) return byBot(moderator(scene), 'DELETE', `/guilds/${guildId}/members/${userId}`);
      return byPerson(ruler(scene), 'kickMember', 'MemberIdInput', { guildId, userId });
    },
  },
  'ban somebody': {
    weight: 9,
    plan(scene) {
      const { cast, picture, random } = scene;
      if (picture.members.length <= FEWEST) return null;
      const guildId = cast.guild.id;
      const userId = random.of(random.chance(0.7) ? picture.members : cast.people.map(({ id }) => id));
      const seconds = random.chance(0.5) ? 3_600 : 0;
      if (random.chance(0.5)) {
        const body = { delete_message_seconds: seconds };
        return byBot(moderator(scene), 'PUT', `/guilds/${guildId}/bans/${userId}`, body);
      }
      const input = { guildId, userId, deleteMessageSeconds: seconds };
      return byPerson(ruler(scene), 'banMember', 'BanMemberInput', input);
    },
  },
  'lift a ban': {
    weight: 20,
    plan(scene) {
      const { cast, picture, random } = scene;
      const userId = random.orNull(picture.banned);
      if (userId === null) return null;
      const guildId = cast.guild.id;
      if (random.chance(0.5)) return byBot(moderator(scene), 'DELETE', `/guilds/${guildId}/bans/${userId}`);
      return byPerson(ruler(scene), 'unbanMember', 'MemberIdInput', { guildId, userId });
    },
  },
};
