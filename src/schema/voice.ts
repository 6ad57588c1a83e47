import { queryFromInfo } from '@pothos/plugin-prisma';
import { requirePerson, requireUser } from '../domain/call.js';
import { accessGuild, channelsWith } from '../domain/guilds/index.js';
import { joinVoice, leaveVoice, setOwnVoice, type VoiceStateRecord } from '../domain/voice/index.js';
import { renderVoiceState } from '../wire/voice.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import { ChannelIdInput } from './channels.js';
import type { GraphqlContext } from './context.js';
import { GuildIdInput } from './guild-mutations.js';
import { parseId } from './ids.js';
import { listArgs, listCost, parseList } from './lists.js';

const VoiceState = builder.prismaObject('VoiceState', {
  description: 'Somebody in a voice channel.',
  fields: (t) => ({
    user: t.relation('user'),
    channelId: t.id({ resolve: ({ channelId }) => String(channelId) }),
    selfMute: t.exposeBoolean('selfMute'),
    selfDeaf: t.exposeBoolean('selfDeaf'),
    suppress: t.exposeBoolean('suppress', { description: 'Whether they may only listen.' }),
  }),
});

builder.prismaObjectFields('Guild', (t) => ({
  voiceStates: t.field({
    type: [VoiceState],
    description: 'Who is in voice in the channels that the caller can see, in the order of their ids.',
    args: listArgs,
    complexity: listCost,
    resolve: async ({ id }, args, context, info) => {
      if (isOnBox(context, id)) return [];
      const { budget, call } = context;
      const access = await budget.step(() => accessGuild(call, id, 'viewGuild'));
      const visible = [...channelsWith(access, requireUser(call).user.id, 'viewChannel')];
      const { most, after } = parseList(args);
      const query = queryFromInfo({ context, info });
      return budget.read(most, (take) =>
        call.read.voiceState.findMany({
          ...query,
          where: {
            guildId: id,
            channelId: { in: visible },
            userId: { gt: after },
            process: { until: { gt: call.live.now() } },
          },
          orderBy: { userId: 'asc' },
          take,
        }),
      );
    },
  }),
}));

const SetVoiceStateInput = builder.inputType('SetVoiceStateInput', {
  fields: (t) => ({ guildId: t.id({ required: true }), selfMute: t.boolean(), selfDeaf: t.boolean() }),
});

const VoiceStatePayload = builder.objectRef<VoiceStateRecord>('VoiceStatePayload').implement({
  fields: (t) => ({
    voiceState: t.field({
      type: 'JSON',
      description: 'As the gateway would send it; its `channel_id` is null for somebody who left.',
      resolve: (state) => renderVoiceState(state),
    }),
  }),
});

/** The socket, or a virtual connection for HTTP requests. */
function connectionOf({ app, call, connectionId, isStillSignedIn }: GraphqlContext): string {
  return connectionId ?? app.connections.openForRequests(requirePerson(call).user.id, isStillSignedIn);
}

builder.mutationFields((t) => ({
  joinVoice: t.field({
    type: VoiceStatePayload,
    description:
      'Joins a voice channel, from another one of the server where the caller is in one. Over a WebSocket that ends with the socket, otherwise when they leave or sign out.',
    args: { input: t.arg({ type: ChannelIdInput, required: true }) },
    resolve: (_root, { input }, context) =>
      joinVoice(context.call, { channelId: parseId(input.channelId, 'channelId') }, connectionOf(context)),
  }),
  leaveVoice: t.field({
    type: VoiceStatePayload,
    args: { input: t.arg({ type: GuildIdInput, required: true }) },
    resolve: (_root, { input }, { call }) => leaveVoice(call, parseId(input.guildId, 'guildId')),
  }),
  setVoiceState: t.field({
    type: VoiceStatePayload,
    description: 'Mutes or deafens oneself in voice.',
    args: { input: t.arg({ type: SetVoiceStateInput, required: true }) },
    resolve: (_root, { input }, { call }) =>
      setOwnVoice(call, {
        guildId: parseId(input.guildId, 'guildId'),
        selfMute: input.selfMute ?? undefined,
        selfDeaf: input.selfDeaf ?? undefined,
      }),
  }),
}));
