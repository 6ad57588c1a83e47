import { createGuild, deleteGuild, GuildSettings, leaveGuild, NewGuild, updateGuild } from '../domain/guilds/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Guild as GuildRow } from '../infra/database/index.js';
import { builder, inputOf } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { Guild } from './guilds.js';
import { idOf, parseId } from './ids.js';
import { bytesOf, ICON } from './uploads.js';

const NAME = '2–100 characters.';
const DESCRIPTION = 'At most 300 characters.';

const CreateGuildInput = builder.inputType('CreateGuildInput', {
  description: 'A new server.',
  fields: (t) => ({
    name: t.string({ required: true, description: NAME }),
    description: t.string({ description: DESCRIPTION }),
  }),
});
export const GuildIdInput = builder.inputType('GuildIdInput', {
  description: 'Identifies a server.',
  fields: (t) => ({ guildId: t.id(idOf.guild) }),
});

const UpdateGuildInput = builder.inputType('UpdateGuildInput', {
  description:
    'Omitted fields stay unchanged. Null clears a field or resets it to its default, but leaves `name` unchanged.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    name: t.string({ description: NAME }),
    description: t.string({ description: DESCRIPTION }),
    icon: t.field({ type: 'File', description: ICON }),
    afkChannelId: t.id({ description: 'ID of a voice channel of the server.' }),
    afkTimeout: t.int({ description: 'AFK timeout in seconds: 60, 300, 900, 1800 or 3600. Initially 300.' }),
    systemChannelId: t.id({ description: 'ID of a text or announcement channel of the server.' }),
    systemChannelFlags: t.int({ description: "Discord's system channel flags, as bits." }),
    verificationLevel: t.int({ description: "Discord's verification level, 0–4. Initially 0." }),
    defaultMessageNotifications: t.int({
      description: '0 for all messages, 1 for mentions only. Initially 0.',
    }),
    explicitContentFilter: t.int({ description: "Discord's explicit content filter level, 0–2. Initially 0." }),
    preferredLocale: t.string({ description: 'A locale of Discord. Initially `en-US`.' }),
  }),
});

export const GuildPayload = builder.objectRef<{ guild: GuildRow }>('GuildPayload').implement({
  description: 'The affected server.',
  fields: (t) => ({
    guild: t.field({ type: Guild, description: 'The server after the change.', resolve: ({ guild }) => guild }),
  }),
});

builder.mutationFields((t) => ({
  createGuild: t.field({
    type: GuildPayload,
    description: 'Creates a server with a text and a voice channel. The caller owns it.',
    args: { input: t.arg(inputOf(CreateGuildInput)) },
    resolve: async (_root, { input }, { call }) => ({
      guild: await createGuild(call, parseInput(NewGuild, input)),
    }),
  }),
  updateGuild: t.field({
    type: GuildPayload,
    description: 'Changes settings of a server, either all or none. Needs Manage Guild.',
    args: { input: t.arg(inputOf(UpdateGuildInput)) },
    resolve: async (_root, { input: { guildId, icon, ...input } }, { call }) => ({
      guild: await updateGuild(call, {
        ...parseInput(GuildSettings, input),
        guildId: parseId(guildId, 'guildId'),
        icon: bytesOf(icon),
      }),
    }),
  }),
  deleteGuild: t.field({
    type: DeletedPayload,
    description: 'Deletes a server with everything in it. This cannot be undone. Only the owner can.',
    args: { input: t.arg(inputOf(GuildIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.guildId, 'guildId');
      await deleteGuild(call, id);
      return { id };
    },
  }),
  leaveGuild: t.field({
    type: DeletedPayload,
    description: 'Removes the caller from a server and returns the server ID. The owner cannot leave.',
    args: { input: t.arg(inputOf(GuildIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.guildId, 'guildId');
      await leaveGuild(call, id);
      return { id };
    },
  }),
}));
