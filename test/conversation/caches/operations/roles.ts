import { Permission } from '../../../../src/domain/permissions.js';
import { byBot, byPerson, moderator, type Operations, ruler, type Scene } from '../acting.js';

const MOST = 14;

/** Without Administrator, since administrators see everything. */
const GIVEN = [
  Permission.SendMessages,
  Permission.ReadMessageHistory,
  Permission.ManageMessages,
  Permission.ManageChannels,
  Permission.AddReactions,
  Permission.Connect,
  Permission.KickMembers,
  Permission.BanMembers,
  Permission.ViewAuditLog,
  Permission.ManageNicknames,
  Permission.ChangeNickname,
  Permission.CreateInstantInvite,
];

function permissionsOf({ random }: Scene): string {
  const view = random.chance(0.6) ? Permission.ViewChannel : 0n;
  return String(random.some(GIVEN).reduce((all, bit) => all | bit, view));
}

function looksOf({ random }: Scene): object {
  const all = [
    { name: `role ${random.below(1_000)}` },
    { color: random.below(0x1000000) },
    { hoist: random.chance(0.5) },
    { mentionable: random.chance(0.5) },
  ];
  return Object.assign({}, ...random.some(all), random.of(all));
}

const free = ({ picture }: Scene) => picture.roles.filter(({ managed }) => !managed).map(({ id }) => id);

export const roleOperations: Operations = {
  'create a role': {
    weight: 20,
    plan(scene) {
      const { cast, picture, random } = scene;
      if (picture.roles.length >= MOST) return null;
      const role = { ...looksOf(scene), name: `role ${random.below(1_000)}`, permissions: permissionsOf(scene) };
      if (random.chance(0.5)) return byBot(moderator(scene), 'POST', `/guilds/${cast.guild.id}/roles`, role);
      return byPerson(ruler(scene), 'createRole', 'CreateRoleInput', { guildId: cast.guild.id, ...role });
    },
  },
  'edit a role': {
    weight: 45,
    plan(scene) {
      const { cast, picture, random } = scene;
      const all = [cast.guild.id, ...picture.roles.map(({ id }) => id)];
      const id = random.of(all);
      // The role of an installation is recognized by its permissions, so these stay.
      const isFree = free(scene).includes(id);
      const isEveryone = id === cast.guild.id;
      const permissions = isEveryone || (isFree && random.chance(0.5)) ? { permissions: permissionsOf(scene) } : {};
      const change = { ...(isEveryone ? {} : looksOf(scene)), ...permissions };
      if (random.chance(0.5)) return byBot(moderator(scene), 'PATCH', `/guilds/${cast.guild.id}/roles/${id}`, change);
      const input = { guildId: cast.guild.id, roleId: id, ...change };
      return byPerson(ruler(scene), 'updateRole', 'UpdateRoleInput', input);
    },
  },
  'sort the roles': {
    weight: 12,
    plan(scene) {
      const { cast, picture, random } = scene;
      const sorted = random.shuffled(picture.roles).slice(0, 4);
      const place = () => 1 + random.below(picture.roles.length);
      if (random.chance(0.3)) {
        const positions = sorted.map(({ id }) => ({ id, position: place() }));
        return byBot(moderator(scene), 'PATCH', `/guilds/${cast.guild.id}/roles`, positions);
      }
      const positions = sorted.map(({ id }) => ({ roleId: id, position: place() }));
      const input = { guildId: cast.guild.id, positions };
      return byPerson(ruler(scene), 'setRolePositions', 'SetRolePositionsInput', input);
    },
  },
  'delete a role': {
    weight: 10,
    plan(scene) {
      const { cast, random } = scene;
      const id = random.orNull(free(scene));
      if (id === null) return null;
      if (random.chance(0.5)) return byBot(moderator(scene), 'DELETE', `/guilds/${cast.guild.id}/roles/${id}`);
      return byPerson(ruler(scene), 'deleteRole', 'RoleIdInput', { guildId: cast.guild.id, roleId: id });
    },
  },
};
