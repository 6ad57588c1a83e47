import { queryFromInfo } from '@pothos/plugin-prisma';
import { requirePerson, requireUser } from '../domain/call.js';
import { accessGuild, channelsWith } from '../domain/guilds/index.js';
import { joinVoice, leaveVoice, setOwnVoice, type VoiceStateRecord } from '../domain/voice/index.js';
import { renderVoiceState } from '../wire/voice.js';
import { builder, inputOf } from './builder.js';
import { ChannelIdInput } from './channels.js';
import type { GraphqlContext } from './context.js';
import { GuildIdInput } from './guild-mutations.js';
import { onlyHere } from './guild-readers/index.js';
import { idOf, parseId } from './ids.js';
import { listArgs, listCost, parseList } from './lists.js';

const VoiceState = builder.prismaObject('VoiceState', {
  description: 'A user in a voice channel.',
  fields: (t) => ({
    user: t.relation('user', { description: 'The user.' }),
    channelId: t.id({ description: 'ID of the voice channel.', resolve: ({ channelId }) => String(channelId) }),
    selfMute: t.exposeBoolean('selfMute', { description: 'Whether the user muted themselves.' }),
    selfDeaf: t.exposeBoolean('selfDeaf', { description: 'Whether the user deafened themselves.' }),
    suppress: t.exposeBoolean('suppress', { description: 'Whether the user can only listen.' }),
  }),
});

builder.prismaObjectFields('Guild', (t) => ({
  voiceStates: t.field({
    type: [VoiceState],
    description: 'Users in voice channels that the caller can see, sorted by user ID. Empty for a server on a box.',
    args: listArgs,
    complexity: listCost,
    resolve: onlyHere([], async ({ id }, args, context, info) => {
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
    }),
  }),
}));

const SetVoiceStateInput = builder.inputType('SetVoiceStateInput', {
  description: "The caller's voice settings. Omitted and null fields stay unchanged.",
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    selfMute: t.boolean({ description: 'Whether to mute the caller.' }),
    selfDeaf: t.boolean({ description: 'Whether to deafen the caller.' }),
  }),
});

const VoiceStatePayload = builder.objectRef<VoiceStateRecord>('VoiceStatePayload').implement({
  description: "The caller's voice state.",
  fields: (t) => ({
    voiceState: t.field({
      type: 'JSON',
      description: 'Voice state in the format of the gateway. `channel_id` is null after the caller left.',
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
      'Joins a voice channel, and leaves any other one in the same server. Needs Connect. ' +
      'If joined over a WebSocket, the caller leaves when it closes; otherwise when they sign out.',
    args: { input: t.arg(inputOf(ChannelIdInput)) },
    resolve: (_root, { input }, context) =>
      joinVoice(context.call, { channelId: parseId(input.channelId, 'channelId') }, connectionOf(context)),
  }),
  leaveVoice: t.field({
    type: VoiceStatePayload,
    description: 'Leaves the voice channel of a server. Fails if the caller is in none.',
    args: { input: t.arg(inputOf(GuildIdInput)) },
    resolve: (_root, { input }, { call }) => leaveVoice(call, parseId(input.guildId, 'guildId')),
  }),
  setVoiceState: t.field({
    type: VoiceStatePayload,
    description: 'Mutes or deafens the caller in a voice channel. Fails if they are in none.',
    args: { input: t.arg(inputOf(SetVoiceStateInput)) },
    resolve: (_root, { input }, { call }) =>
      setOwnVoice(call, {
        guildId: parseId(input.guildId, 'guildId'),
        selfMute: input.selfMute ?? undefined,
        selfDeaf: input.selfDeaf ?? undefined,
      }),
  }),
}));
