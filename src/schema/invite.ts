import { joinGuild } from '../domain/guilds/index.js';
import { createInvite } from '../domain/invites/index.js';
import { builder } from './builder.js';
import { ChannelIdInput } from './channel.js';
import { GuildPayload } from './guild.js';
import { parseId } from './ids.js';

const InvitePayload = builder.objectRef<{ code: string }>('InvitePayload').implement({
  fields: (t) => ({
    code: t.exposeString('code'),
    url: t.string({ resolve: ({ code }, _args, { app }) => `${app.addresses.publicUrl}/invite/${code}` }),
  }),
});

const JoinGuildInput = builder.inputType('JoinGuildInput', {
  fields: (t) => ({ code: t.string({ required: true, description: "An invite's code." }) }),
});

builder.mutationFields((t) => ({
  createInvite: t.field({
    type: InvitePayload,
    args: { input: t.arg({ type: ChannelIdInput, required: true }) },
    resolve: (_root, { input }, { call }) => createInvite(call, parseId(input.channelId, 'channelId')),
  }),
  joinGuild: t.field({
    type: GuildPayload,
    args: { input: t.arg({ type: JoinGuildInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({ guild: await joinGuild(call, input.code) }),
  }),
}));
