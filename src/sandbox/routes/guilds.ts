import { z } from 'zod';
import { createChannel } from '../../domain/channels/index.js';
import { addMemberRole, kickMember, removeMemberRole, updateMember } from '../../domain/members/index.js';
import { createRole } from '../../domain/roles/index.js';
import { renderChannel } from '../../wire/channels.js';
import { renderRole } from '../../wire/roles.js';
import { type Route, route } from '../route.js';
import type { Sandbox } from '../sandbox.js';
import { CHANNEL_TYPES, ChannelSeed, RoleSeed } from '../worlds/seed.js';

const AT = '/worlds/:world/guilds/:guild';

/** @returns a call of the server's owner, who may do everything in it */
async function builder(sandbox: Sandbox, { world: id, guild: name }: Readonly<Record<string, string>>) {
  const world = sandbox.world(id);
  const guild = world.guild(name);
  return { world, guild, call: await world.asOwnerOf(guild) };
}

/** Changes without the checks of a person's permissions. */
export const guildRoutes: readonly Route[] = [
  route(`POST ${AT}/channels`, {
    summary: 'Creates a channel.',
    body: ChannelSeed.omit({ category: true, overwrites: true }),
    async run(sandbox, { params, body }) {
      const { guild, call } = await builder(sandbox, params);
      const { slowMode, type, ...rest } = body;
      return renderChannel(
        await createChannel(call, guild.id, { ...rest, type: CHANNEL_TYPES[type], rateLimitPerUser: slowMode }),
      );
    },
  }),
  route(`POST ${AT}/roles`, {
    summary: 'Creates a role.',
    body: RoleSeed.omit({ members: true }),
    async run(sandbox, { params, body }) {
      const { guild, call } = await builder(sandbox, params);
      return renderRole(await createRole(call, guild.id, body));
    },
  }),
  route(`PUT ${AT}/members/:person`, {
    summary: 'Adds a person to the server.',
    async run(sandbox, { params }) {
      const { world, guild } = await builder(sandbox, params);
      await world.join(guild, world.person(params.person ?? '', guild.id));
    },
  }),
  route(`PATCH ${AT}/members/:person`, {
    summary: 'Changes the nickname or the timeout of a member.',
    body: z.strictObject({
      nick: z.string().nullish(),
      timeoutUntil: z.iso.datetime({ offset: true }).nullish().describe('Null ends the timeout.'),
    }),
    async run(sandbox, { params, body }) {
      const { world, guild, call } = await builder(sandbox, params);
      const { id: userId } = world.memberNamed(guild, params.person ?? '');
      const until = body.timeoutUntil;
      await updateMember(call, {
        guildId: guild.id,
        userId,
        ...(body.nick === undefined ? {} : { nick: body.nick }),
        ...(until === undefined ? {} : { communicationDisabledUntil: until === null ? null : new Date(until) }),
      });
    },
  }),
  route(`DELETE ${AT}/members/:person`, {
    summary: 'Removes a person from the server.',
    async run(sandbox, { params }) {
      const { world, guild, call } = await builder(sandbox, params);
      await kickMember(call, { guildId: guild.id, userId: world.memberNamed(guild, params.person ?? '').id });
    },
  }),
  route(`PUT ${AT}/members/:person/roles/:role`, {
    summary: 'Gives a member a role.',
    async run(sandbox, { params }) {
      const { world, guild, call } = await builder(sandbox, params);
      const role = await world.role(guild, params.role ?? '');
      await addMemberRole(call, {
        guildId: guild.id,
        userId: world.memberNamed(guild, params.person ?? '').id,
        roleId: role.id,
      });
    },
  }),
  route(`DELETE ${AT}/members/:person/roles/:role`, {
    summary: 'Takes a role from a member.',
    async run(sandbox, { params }) {
      const { world, guild, call } = await builder(sandbox, params);
      const role = await world.role(guild, params.role ?? '');
      await removeMemberRole(call, {
        guildId: guild.id,
        userId: world.memberNamed(guild, params.person ?? '').id,
        roleId: role.id,
      });
    },
  }),
];
