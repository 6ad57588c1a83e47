import { createGuild, deleteGuild, GuildSettings, leaveGuild, NewGuild, updateGuild } from '../domain/guilds/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Guild as GuildRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { Guild } from './guilds.js';
import { parseId } from './ids.js';
import { bytesOf } from './uploads.js';

const CreateGuildInput = builder.inputType('CreateGuildInput', {
  fields: (t) => ({ name: t.string({ required: true }), description: t.string() }),
});
export const GuildIdInput = builder.inputType('GuildIdInput', {
  fields: (t) => ({ guildId: t.id({ required: true }) }),
});

const ICON = 'PNG, JPEG, GIF or WebP, at most 10 MiB.';

const UpdateGuildInput = builder.inputType('UpdateGuildInput', {
  description:
    'What is not given stays as it is. Null clears what may be empty, sets the rest back to what a new server has, and leaves the name.',
  fields: (t) => ({
    guildId: t.id({ required: true }),
    name: t.string(),
    description: t.string(),
    icon: t.field({ type: 'File', description: ICON }),
    afkChannelId: t.id({ description: 'A voice channel of the server.' }),
    afkTimeout: t.int({ description: 'In seconds: 60, 300, 900, 1800 or 3600.' }),
    systemChannelId: t.id({ description: 'A text channel of the server.' }),
    systemChannelFlags: t.int(),
    verificationLevel: t.int(),
    defaultMessageNotifications: t.int(),
    explicitContentFilter: t.int(),
    preferredLocale: t.string(),
  }),
});

export const GuildPayload = builder.objectRef<{ guild: GuildRow }>('GuildPayload').implement({
  fields: (t) => ({ guild: t.field({ type: Guild, resolve: ({ guild }) => guild }) }),
});

builder.mutationFields((t) => ({
  createGuild: t.field({
    type: GuildPayload,
    description: 'Makes a server with one text and one voice channel, owned by the caller.',
    args: { input: t.arg({ type: CreateGuildInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      guild: await createGuild(call, parseInput(NewGuild, input)),
    }),
  }),
  updateGuild: t.field({
    type: GuildPayload,
    description: 'Changes settings of a server, all of them or none.',
    args: { input: t.arg({ type: UpdateGuildInput, required: true }) },
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
    description: 'Deletes a server with all that it contains, for good; only its owner may.',
    args: { input: t.arg({ type: GuildIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.guildId, 'guildId');
      await deleteGuild(call, id);
      return { id };
    },
  }),
  leaveGuild: t.field({
    type: DeletedPayload,
    args: { input: t.arg({ type: GuildIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.guildId, 'guildId');
      await leaveGuild(call, id);
      return { id };
    },
  }),
}));
